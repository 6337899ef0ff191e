// Whether a person must be asked before a call runs, and what. Pure; asks nobody and runs nothing.
import type { ApprovalPolicy } from "../core/componentActions.ts";
import type { InterruptType, OnReject } from "../core/interrupts.ts";
import type { JsonObject, ToolCall } from "../core/messages.ts";
import { objectOf } from "../core/objectText.ts";
import type { ShownDefinition } from "../core/toolDefinition.ts";
import { matchesSchema } from "../formats/fitting/fitValue.ts";
import { callDanger } from "../tools/danger/findDanger.ts";
import { deedOf } from "../tools/deedOf.ts";
import type { Tool } from "../tools/Tool.ts";

/** What a run needs of a person for one of its calls. */
export interface Need {
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
  readonly edited?: true | undefined;
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
export function judgeCall(
  call: ToolCall,
  tool: Tool,
  { wary, begun, edited, definition }: Circumstances,
): Need | undefined {
  if (begun && !tool.idempotent) return unknownOutcome(call, edited);
  if (begun && !definition) return undefined;
  const args = objectOf(call.arguments);
  // No tool is run with anything else.
  if (!args) return undefined;
  const danger = callDanger(tool, args)?.reason;
  const asked = { deed: deedOf(tool, args), definition, ...(edited && { edited }) };
  if (danger !== undefined) return approval(call, { ...asked, danger, onReject: tool.onReject ?? "stop" });
  const reason = definition ? whyAgree(definition) : reasonToAsk(call, tool, wary);
  return reason === undefined ? undefined : approval(call, { ...asked, reason, onReject: tool.onReject });
}

function whyAgree({ server, changes }: ShownDefinition): string {
  return changes
    ? `What the server ${server} says of this tool has changed since somebody agreed to it.`
    : `Nobody has agreed yet to what the server ${server} says of this tool.`;
}

interface Leave extends Pick<Need, "reason" | "onReject">, Omit<PlannedRun, "call"> {
  /** See `deedOf`. */
  readonly deed?: string | undefined;
}

/** The need of a person's leave for a call. */
export function approval(call: ToolCall, { deed, reason, onReject, ...plan }: Leave): Need {
  return {
    type: "approval",
    question: `May ${call.name} ${deed ?? "be called with these arguments?"}`,
    reason,
    plan: { call, ...plan },
    onReject,
  };
}

function unknownOutcome(call: ToolCall, edited: boolean): Need {
  const question = `The gateway stopped while ${call.name} ran, and whether the call had its effect is not known. Run it again?`;
  return { type: "unknown-outcome", question, plan: { call, ...(edited && { edited }) } };
}

/** The operator's word about a tool goes before what is thought of all tools; a word that asks for nothing is one too. */
function reasonToAsk(
  call: ToolCall,
  { approval: policy, idempotent, untrusted }: Tool,
  wary: boolean,
): string | undefined {
  if (policy)
    return asks(policy, call) ? "The agent's rules say that a person agrees to such a call first." : undefined;
  const isHarmless = idempotent === true && untrusted !== true;
  if (!wary || isHarmless) return undefined;
  return "The model has read what somebody outside wrote, which may be why it makes this call.";
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
