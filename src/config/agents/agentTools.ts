// Schema of an agent's tools: a name, or a name with the operator's rules for its calls.
import { z } from "zod";
import type { ApprovalPolicy } from "../../core/config/componentActions.ts";
import type { AgentTool } from "../../core/config/configuration.ts";
import type { JsonObject } from "../../core/messages.ts";
import { APPROVE_TOOL_CALL, ASK_USER } from "../../core/runs/interrupts.ts";
import { READ_RESULT } from "../../core/runs/resultLimits.ts";
import { fillTemplate } from "../../core/template/fillTemplate.ts";
import { enumField, flag, nonEmptyText, plainObject } from "../fields.ts";
import { checkConfigSchema } from "../jsonSchema.ts";
import { createJsonTemplateField } from "../templates.ts";

const LEGAL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;

/** Names of calls that mean something else. */
const TAKEN: ReadonlySet<string> = new Set([ASK_USER, APPROVE_TOOL_CALL, READ_RESULT]);

/** `never`, `always`, or `{when: SCHEMA}`. */
export function createApprovalSchema() {
  const when = z.strictObject({ when: plainObject("a JSON Schema of the arguments") });
  return z
    .union([z.literal(["never", "always"]), when], {
      error: "expected never, always, or `when:` with a JSON Schema of the arguments",
    })
    .superRefine((raw, context) => {
      if (typeof raw === "object")
        checkConfigSchema(raw.when, (path, message) =>
          context.addIssue({ code: "custom", path: ["when", ...path], message }),
        );
    })
    .transform((raw): ApprovalPolicy => (typeof raw === "string" ? { type: raw } : { type: "when", schema: raw.when }));
}

/** Schema of the key `danger`: which risky calls wait for an approver. */
export function createDangerSchema() {
  return enumField(["off", "on", "strict"]);
}

/** A tool entry as written. */
export type WrittenTool = AgentTool & {
  /** Action of the component that `tool` names; absent: its only action, or all of them. */
  readonly action?: string | undefined;
  /** True if written as `component:`, which names one action. */
  readonly byComponent?: true | undefined;
};

/** An entry of an agent's `tools:`. */
export function createAgentToolSchema() {
  const named = z
    .strictObject(
      {
        tool: nonEmptyText("a tool name").optional(),
        component: nonEmptyText("a component's id, or a whole component").optional(),
        action: nonEmptyText("an action's id").optional(),
        context: contextSchema().optional(),
        name: createShownNameField().optional(),
        description: nonEmptyText("a description for the model").optional(),
        approval: createApprovalSchema().optional(),
        danger: createDangerSchema().optional(),
        on_reject: enumField(["stop", "continue"]).optional(),
        async: flag().optional(),
        allow_other: flag().optional(),
        prompt: nonEmptyText("a sentence for the system text").optional(),
      },
      {
        error: (issue) =>
          issue.code === "invalid_type" ? "expected a tool name, or an entry with `tool:` or `component:`" : undefined,
      },
    )
    .superRefine(({ tool, component, allow_other, prompt }, context) => {
      if ((tool === undefined) === (component === undefined))
        context.addIssue({ code: "custom", message: "expected the tool's name, as one of `tool:` and `component:`" });
      if ((tool ?? component) === ASK_USER) return;
      for (const [key, value] of Object.entries({ allow_other, prompt })) {
        const message = `expected no \`${key}\`: it is one of ${ASK_USER}`;
        if (value !== undefined) context.addIssue({ code: "custom", path: [key], message });
      }
    })
    .transform(
      ({ tool, component, on_reject, allow_other, ...rest }): WrittenTool => ({
        tool: tool ?? component ?? "",
        ...rest,
        ...(component !== undefined && { byComponent: true }),
        ...(on_reject !== undefined && { onReject: on_reject }),
        ...(allow_other !== undefined && { allowOther: allow_other }),
      }),
    );
  // A plain name is an entry without further keys.
  return z.preprocess((raw) => (typeof raw === "string" ? { tool: raw } : raw), named);
}

/** Data in which only the environment is filled in. */
function contextSchema() {
  return z
    .record(z.string(), createJsonTemplateField({ roots: [] }), { error: "expected names with data" })
    .transform((raw) => fillTemplate(raw, {}) as JsonObject);
}

/** Names that clients know as approval calls cannot be tool names. */
function createShownNameField() {
  const error = `expected a name of 1–128 letters, digits or \`_-.:/\`, and none of ${[...TAKEN].join(", ")}`;
  return nonEmptyText("a name").refine((name) => LEGAL_NAME.test(name) && !TAKEN.has(name), { error });
}
