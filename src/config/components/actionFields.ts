// Fields that an action of any component may have, and checks of its parameters.
import { z } from "zod";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { findPlaceholders } from "../../core/template/fillTemplate.ts";
import { createApprovalSchema, createDangerSchema } from "../agents/agentTools.ts";
import { flag, nonEmptyText } from "../fields.ts";
import { createJsonSchemaField } from "../jsonSchema.ts";

/** Fields that each action has, in addition to those of its component type. */
export const actionFields = {
  params: z
    .record(z.string(), createJsonSchemaField("a JSON Schema"), { error: "expected parameter names with JSON Schemas" })
    .optional(),
  repeatable: flag().optional(),
  async: flag().optional(),
  idempotent: flag().optional(),
  approval: createApprovalSchema().optional(),
  danger: createDangerSchema().optional(),
  untrusted: flag().optional(),
  interrupts: z
    .record(needName(), answerNeed(), {
      error: "expected names of needs, each with `when`, `message` and `suggestion`",
    })
    .optional(),
};

/** The id of the action of a component that writes no list of them. */
export const ONLY_ACTION = "__default__";

/** Receives each fault and its path below the component. */
export type Fail = (path: readonly (string | number)[], message: string) => void;

/** Name of an interrupt; the gateway's own interrupt names are refused. */
function needName() {
  const error = "expected a name such as no_results: small letters, digits and `_`, and neither clarify nor approval";
  return z.string().regex(/^(?!(?:clarify|approval)$)[a-z][a-z0-9_]{0,63}$/, { error });
}

function answerNeed() {
  return z.strictObject({
    when: createJsonSchemaField("a JSON Schema of what came back"),
    message: nonEmptyText("what a person is asked"),
    suggestion: nonEmptyText("why, or what to do").optional(),
  });
}

/** A component has a list of actions, or the keys of one action; both together are refused. */
export function checkSiblingFields(siblings: Readonly<Record<string, unknown>>, fail: Fail): void {
  const message =
    "expected in the entry of `actions` that it belongs to; a component has a list of them, or the keys of one";
  for (const [name, value] of Object.entries(siblings)) if (value !== undefined) fail([name], message);
}

/** Refuses refinements of parameters that no template of the action has. */
export function checkParams(
  params: Readonly<Record<string, JsonObject>>,
  templates: readonly JsonValue[],
  fail: Fail,
): void {
  const inputs = templates.flatMap(findPlaceholders).filter(({ root }) => root === "input");
  const usedRoots = new Set(inputs.flatMap(({ path }) => path.slice(0, 1)));
  for (const name of Object.keys(params))
    if (!usedRoots.has(name))
      fail(
        ["params", name],
        `expected a parameter that the action uses (${[...usedRoots].join(", ") || "it uses none"})`,
      );
}

/** The name of the tool that an action is: the component's, or one of its own below it. */
export function buildToolName(component: string, action: string, { length }: readonly unknown[]): string {
  return length === 1 ? component : `${component}.${action}`;
}
