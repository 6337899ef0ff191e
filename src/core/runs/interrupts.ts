// Defines interrupts and decisions as plain JSON data.
import type { JsonObject, ToolCall } from "../messages.ts";
import type { ShownDefinition } from "../tools/toolDefinition.ts";

/** The call with which a model asks the user, and with which a client is shown any question. */
export const ASK_USER = "ask_user";
/** The call that shows a client a call waiting for approval; no real tool has this name. */
export const APPROVE_TOOL_CALL = "approve_tool_call";

/**
 * The kind of question: the model's own (`clarify`), permission to run a call (`approval`), a call with unknown outcome
 * (`unknown-outcome`), or a tool's question by the tool's name for it (`no_results` …).
 */
export type InterruptType = "clarify" | "approval" | "unknown-outcome" | (string & {});

/** A call exactly as it runs after an approval; the approval covers nothing else. */
export interface Plan {
  readonly tool: string;
  /** Strict JSON text of an object. */
  readonly arguments: string;
  /** SHA-256, hex, of owner, run, call, tool with its definition, arguments and effect. A decision is valid for this hash only. */
  readonly hash: string;
  /** The risk of the call, for the approver; absent if only a rule demands the approval. */
  readonly danger?: string | undefined;
  /** The tool's definition by its server, if the approval covers it too. */
  readonly definition?: ShownDefinition | undefined;
  /** True if the model has read untrusted content, and its agent demands an approval in that case. */
  readonly untrusted?: true | undefined;
  /** True if an approver wrote the arguments. */
  readonly edited?: true | undefined;
  /** True if an approver rejected a call with the same effect in this run. */
  readonly rejectedBefore?: true | undefined;
}

/** Reaction to a rejection: the run ends as `rejected`, or the model is told and continues. */
export type OnReject = "stop" | "continue";

/** The answer with which a call that asked for a form continues. */
export type FormAnswer =
  /** Matches the form. */
  | { readonly type: "given"; readonly content: JsonObject }
  /** The user declined to answer. */
  | { readonly type: "declined" };

/** A question or approval that a run waits for. */
export interface Interrupt {
  /** Nine letters and digits: the id of the call that the client is shown. Unique per owner. */
  readonly id: string;
  readonly run: string;
  /** The id of the agent that asks, possibly of a nested run; absent in older records. */
  readonly agent?: string | undefined;
  readonly type: InterruptType;
  /** The waiting call of the model. */
  readonly call: ToolCall;
  /** The question for the user. */
  readonly question: string;
  /** 2–10 different texts. */
  readonly options?: readonly string[] | undefined;
  /** True if an answer outside the options is allowed. */
  readonly allowOther?: boolean | undefined;
  /** JSON Schema of the answer, with which the call continues; absent: the answer is text, and the call's result. */
  readonly form?: JsonObject | undefined;
  /** The reason for the question, for the user. */
  readonly reason?: string | undefined;
  /** Present if a call is to run: with `approval` and `unknown-outcome`. */
  readonly plan?: Plan | undefined;
  /** True once `POST /chat` has shown this plan, so that `approve` there refers to it. A renewed plan was not shown. */
  readonly shownInChat?: true | undefined;
  /** Absent: `continue`. */
  readonly onReject?: OnReject | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; later decisions are not accepted. */
  readonly expiresAt: number;
}

/** A decision about one interrupt. `plan` is the hash of the plan that the approver saw. */
export type Decision =
  | { readonly type: "approve"; readonly plan: string }
  | { readonly type: "edit"; readonly plan: string; readonly arguments: JsonObject }
  /** `dryRun`: the decision was made in advance, because no approver would be available. */
  | {
      readonly type: "reject";
      readonly plan: string;
      readonly reason?: string | undefined;
      readonly dryRun?: true | undefined;
    }
  | { readonly type: "answer"; readonly response: string }
  /** The user declined to answer. */
  | { readonly type: "cancel" };

/** A decision for an interrupt. */
export interface GivenDecision {
  /** The interrupt's id. */
  readonly id: string;
  readonly decision: Decision;
}

/** `decided` and `cancelled` are final; an open interrupt past its time is reported as `expired`. */
export type InterruptStatus = "open" | "decided" | "expired" | "cancelled";

/** An interrupt with its status and decision. */
export interface InterruptRecord extends Interrupt {
  readonly owner: string;
  readonly status: InterruptStatus;
  readonly decision?: Decision | undefined;
  /** Name of the caller who decided. */
  readonly decidedBy?: string | undefined;
  /** Epoch milliseconds. */
  readonly decidedAt?: number | undefined;
}
