// Decides whether a call needs an approval before it runs, and which question the approver gets. Pure.
import type { ApprovalPolicy } from "../../core/config/componentActions.ts";
import { parseExactObject } from "../../core/json/exactArguments.ts";
import type { JsonObject, ToolCall } from "../../core/messages.ts";
import type { InterruptType, OnReject } from "../../core/runs/interrupts.ts";
import type { ShownDefinition } from "../../core/tools/toolDefinition.ts";
import { matchesSchema } from "../../formats/validation/fitValue.ts";
import { describeEffect } from "../../tools/execution/callEffect.ts";
import { callDanger } from "../../tools/risk/assessCall.ts";
import type { Tool } from "../../tools/Tool.ts";

/** The question that a run asks the user or the approver for one of its calls. */
export interface ApprovalNeed {
  readonly type: InterruptType;
  readonly question: string;
  readonly options?: readonly string[] | undefined;
  readonly allowOther?: boolean | undefined;
  /** See `Interrupt.form`. */
  readonly form?: JsonObject | undefined;
  readonly reason?: string | undefined;
  /** Present if the call runs only after an approval. */
  readonly plan?: PlannedRun | undefined;
  readonly onReject?: OnReject | undefined;
}

interface PlannedRun {
  /** The call as it would run. */
  readonly call: ToolCall;
  readonly danger?: string | undefined;
  readonly definition?: ShownDefinition | undefined;
  /** See `Plan.untrusted`. */
  readonly untrusted?: true | undefined;
  readonly edited?: true | undefined;
  /** See `Plan.rejectedBefore`. */
  readonly rejectedBefore?: true | undefined;
}

export interface Circumstances {
  /** True if the model has read untrusted content, and its agent wants an approval in that case. */
  readonly wary: boolean;
  /** True if the call may have run already, with an unknown outcome. */
  readonly hasStarted: boolean;
  /** True if an approver wrote the arguments. */
  readonly edited: boolean;
  /** The tool's definition, as its server states it, if no user of the owner has agreed to it yet. */
  readonly definition?: ShownDefinition | undefined;
}

/** The question to ask before the call runs; undefined if there is none. `call` is the call as it would run. */
export function findApprovalNeed(
  call: ToolCall,
  tool: Tool,
  { wary, hasStarted: begun, edited, definition }: Circumstances,
): ApprovalNeed | undefined {
  if (begun && !tool.idempotent) return unknownOutcome(call, tool, edited);
  if (begun && !definition) return undefined;
  const args = parseExactObject(call.arguments);
  // A tool never runs with arguments that are not an object.
  if (!args) return undefined;
  const danger = callDanger(tool, args)?.reason;
  const untrusted = wary && !isHarmless(tool);
  const quoted = call.isQuoted ? QUOTED : undefined;
  const rule = definition ? whyAgree(definition) : findApprovalRule(call, tool);
  // The operator's rule for a tool goes before the general rule; `approval: never` is a rule too.
  const isAsked = danger !== undefined || rule !== undefined || quoted !== undefined;
  if (!isAsked && (tool.approval || !untrusted)) return undefined;
  const reason = [quoted, rule, untrusted ? STRANGER : undefined].filter((reason) => reason !== undefined).join(" ");
  return createApprovalNeed(call, tool, {
    ...{ danger, definition },
    ...(reason !== "" && { reason }),
    ...((untrusted || call.isQuoted) && { untrusted: true }),
    ...(edited && { edited }),
    onReject: tool.onReject ?? (danger === undefined ? undefined : "stop"),
  });
}

const QUOTED =
  "The answer is nothing but this call, word for word as it stands in a tool's result or in the task of another agent (quoted-call): the model may only quote it.";
const STRANGER = "The model has read what somebody outside wrote, which may be why it makes this call.";

/** Returns true if the call changes nothing and sends no data out of the gateway. */
function isHarmless({ idempotent, untrusted }: Tool): boolean {
  return idempotent === true && untrusted !== true;
}

function whyAgree({ server, changes }: ShownDefinition): string {
  return changes
    ? `What the server ${server} says of this tool has changed since somebody agreed to it.`
    : `Nobody has agreed yet to what the server ${server} says of this tool.`;
}

function findApprovalRule(call: ToolCall, tool: Tool): string | undefined {
  return needsApprovalByRule(call, tool)
    ? "The agent's rules say that a person agrees to such a call first."
    : undefined;
}

/** Returns true if the rule of the tool demands an approval of the call. */
export function needsApprovalByRule(call: ToolCall, { approval: policy }: Pick<Tool, "approval">): boolean {
  return policy !== undefined && isApprovalRequired(policy, call);
}

function isApprovalRequired(policy: ApprovalPolicy, call: ToolCall): boolean {
  switch (policy.type) {
    case "never":
      return false;
    case "always":
      return true;
    case "when":
      return matchesSchema(call.arguments, policy.schema);
    default:
      return policy satisfies never;
  }
}

type Leave = Pick<ApprovalNeed, "reason" | "onReject"> & Omit<PlannedRun, "call">;

/** Creates the approval need of a call. */
export function createApprovalNeed(
  call: ToolCall,
  tool: Tool | undefined,
  { reason, onReject, ...plan }: Leave,
): ApprovalNeed {
  return {
    type: "approval",
    question: buildQuestion("approval", call, tool),
    reason,
    plan: { call, ...plan },
    onReject,
  };
}

function unknownOutcome(call: ToolCall, tool: Tool, edited: boolean): ApprovalNeed {
  const type = "unknown-outcome";
  return { type, question: buildQuestion(type, call, tool), plan: { call, ...(edited && { edited }) } };
}

/** The question for the approver, with the effect that the call would have now. */
export function buildQuestion(type: InterruptType, call: ToolCall, tool: Tool | undefined): string {
  const effect = (tool && describeEffect(tool, call)?.question) ?? "be called with these arguments?";
  if (type !== "unknown-outcome") return `May ${call.name} ${effect}`;
  const stoppedText = `The gateway stopped while ${call.name} ran, and whether the call had its effect is not known. Run it again?`;
  return `${stoppedText}\nMay ${call.name} ${effect}`;
}
