// Whether a person must be asked before a call runs, and what. Pure; asks nobody and runs nothing.
import type { ApprovalPolicy } from "../../core/config/componentActions.ts";
import { parseExactObject } from "../../core/json/exactArguments.ts";
import type { JsonObject, ToolCall } from "../../core/messages.ts";
import type { InterruptType, OnReject } from "../../core/runs/interrupts.ts";
import type { ShownDefinition } from "../../core/tools/toolDefinition.ts";
import { matchesSchema } from "../../formats/validation/fitValue.ts";
import { describeEffect } from "../../tools/execution/callEffect.ts";
import { callDanger } from "../../tools/risk/assessCall.ts";
import type { Tool } from "../../tools/Tool.ts";

/** What a run needs of a person for one of its calls. */
export interface ApprovalNeed {
  readonly type: InterruptType;
  readonly question: string;
  readonly options?: readonly string[] | undefined;
  readonly allowOther?: boolean | undefined;
  /** See `Interrupt.form`. */
  readonly form?: JsonObject | undefined;
  readonly reason?: string | undefined;
  /** Present where a call would run by the person's word. */
  readonly plan?: PlannedRun | undefined;
  readonly onReject?: OnReject | undefined;
}

interface PlannedRun {
  /** As it would run. */
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
  /** True where the model has read what somebody outside wrote, and its agent wants a person to look then. */
  readonly wary: boolean;
  /** True where the call may have run already, and nobody knows. */
  readonly begun: boolean;
  /** True where a person has written the arguments. */
  readonly edited: boolean;
  /** What the tool's server says that it is, where nobody has agreed to that. */
  readonly definition?: ShownDefinition | undefined;
}

/** What a person must be asked before the call runs; undefined where nothing. `call` is as it would run. */
export function findApprovalNeed(
  call: ToolCall,
  tool: Tool,
  { wary, begun, edited, definition }: Circumstances,
): ApprovalNeed | undefined {
  if (begun && !tool.idempotent) return unknownOutcome(call, tool, edited);
  if (begun && !definition) return undefined;
  const args = parseExactObject(call.arguments);
  // No tool is run with anything else.
  if (!args) return undefined;
  const danger = callDanger(tool, args)?.reason;
  const untrusted = wary && !isHarmless(tool);
  const quoted = call.isQuoted ? QUOTED : undefined;
  const rule = definition ? whyAgree(definition) : findApprovalRule(call, tool);
  // The operator's word about a tool goes before what is thought of all tools; a word that asks for nothing is one too.
  const isAsked = danger !== undefined || rule !== undefined || quoted !== undefined;
  if (!isAsked && (tool.approval || !untrusted)) return undefined;
  const reason = [quoted, rule, untrusted ? STRANGER : undefined].filter((why) => why !== undefined).join(" ");
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

/** Running it changes nothing, and nothing that it is given leaves the gateway. */
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

/** True where the rule of the tool wants a person's decision about the call. */
export function needsApprovalByRule(call: ToolCall, { approval: policy }: Pick<Tool, "approval">): boolean {
  return policy !== undefined && asks(policy, call);
}

function asks(policy: ApprovalPolicy, call: ToolCall): boolean {
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

/** The need of a person's leave for a call. */
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

/** What an approver is asked about a call, with the effect that it would have now. */
export function buildQuestion(type: InterruptType, call: ToolCall, tool: Tool | undefined): string {
  const effect = (tool && describeEffect(tool, call)?.question) ?? "be called with these arguments?";
  if (type !== "unknown-outcome") return `May ${call.name} ${effect}`;
  const stopped = `The gateway stopped while ${call.name} ran, and whether the call had its effect is not known. Run it again?`;
  return `${stopped}\nMay ${call.name} ${effect}`;
}
