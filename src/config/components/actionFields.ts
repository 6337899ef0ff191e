// What an action of a component may say whatever carries it out, and what its parameters have to be. Knows no kind of component.
import { z } from "zod";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { findPlaceholders } from "../../core/template/fillTemplate.ts";
import { createApprovalSchema, createDangerSchema } from "../agents/agentTools.ts";
import { flag, nonEmptyText } from "../fields.ts";
import { createJsonSchemaField } from "../jsonSchema.ts";

/** The fields that each action has; how it is carried out stands beside them. */
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

/** Told what is wrong, and where below the component. */
export type Fail = (path: readonly (string | number)[], message: string) => void;

/** What a person is asked by: no name that the gateway itself asks by. */
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

/** A component has a list of actions, or the keys of one: those that stand beside a list are refused. */
export function checkSiblingFields(own: Readonly<Record<string, unknown>>, fail: Fail): void {
  const message =
    "expected in the entry of `actions` that it belongs to; a component has a list of them, or the keys of one";
  for (const [name, value] of Object.entries(own)) if (value !== undefined) fail([name], message);
}

/** Refuses refinements of parameters that no template of the action has. */
export function checkParams(
  params: Readonly<Record<string, JsonObject>>,
  templates: readonly JsonValue[],
  fail: Fail,
): void {
  const inputs = templates.flatMap(findPlaceholders).filter(({ root }) => root === "input");
  const used = new Set(inputs.flatMap(({ path }) => path.slice(0, 1)));
  for (const name of Object.keys(params))
    if (!used.has(name))
      fail(["params", name], `expected a parameter that the action uses (${[...used].join(", ") || "it uses none"})`);
}

/** The name of the tool that an action is: the component's, or one of its own below it. */
export function buildToolName(component: string, action: string, { length }: readonly unknown[]): string {
  return length === 1 ? component : `${component}.${action}`;
}
