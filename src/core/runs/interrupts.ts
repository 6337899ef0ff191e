// What a run asks of a person and what the person says, as plain JSON data. Knows no store, no wire and no tool.
import type { JsonObject, ToolCall } from "../messages.ts";
import type { ShownDefinition } from "../tools/toolDefinition.ts";

/** The call by which a model asks a person, and by which a client is shown any question. */
export const ASK_USER = "ask_user";
/** The call by which a client is shown what waits for leave to run; no tool that could be called bears the name. */
export const APPROVE_TOOL_CALL = "approve_tool_call";

/**
 * What is asked: a question of the model's (`clarify`), leave to run a call (`approval`), what became of a call whose outcome is not
 * known (`unknown-outcome`), or a tool's own need by the tool's name for it (`no_results` …).
 */
export type InterruptType = "clarify" | "approval" | "unknown-outcome" | (string & {});

/** A call exactly as it will run if a person agrees; nothing else is ever run by that person's word. */
export interface Plan {
  readonly tool: string;
  /** Strict JSON text of an object. */
  readonly arguments: string;
  /** SHA-256, hex, of owner, run, call, tool with its definition, arguments and effect: the person's word counts for this alone. */
  readonly hash: string;
  /** Why the call is dangerous, for a person; absent where only a policy asks. */
  readonly danger?: string | undefined;
  /** What the tool's server says that it is, where the person's word is for that too. */
  readonly definition?: ShownDefinition | undefined;
  /** True where the model has read what somebody outside wrote, and its agent wants a person to look then; whatever else asks beside that. */
  readonly untrusted?: true | undefined;
  /** True once a person has written the arguments. */
  readonly edited?: true | undefined;
  /** True where a person rejected a call in this run that would do the same. */
  readonly rejectedBefore?: true | undefined;
}

/** What becomes of the run where a person says no: it ends as `rejected`, or the model is told and goes on. */
export type OnReject = "stop" | "continue";

/** What a call that asked for a form goes on with. */
export type FormAnswer =
  /** It fits the form. */
  | { readonly type: "given"; readonly content: JsonObject }
  /** The person did not want to say. */
  | { readonly type: "declined" };

/** A step of a run that waits for a person. */
export interface Interrupt {
  /** Nine letters and digits: the id of the call that the client is shown. One of its owner's. */
  readonly id: string;
  readonly run: string;
  /** The id of the agent that asks, which may be one within the run; absent: it was asked before this was kept. */
  readonly agent?: string | undefined;
  readonly type: InterruptType;
  /** The model's call that waits. */
  readonly call: ToolCall;
  /** For a person: what is asked. */
  readonly question: string;
  /** 2–10 texts, no two equal. */
  readonly options?: readonly string[] | undefined;
  /** True where an answer may be none of the options. */
  readonly allowOther?: boolean | undefined;
  /** JSON Schema of the answer, with which the call goes on; absent: the answer is words, and the call's result. */
  readonly form?: JsonObject | undefined;
  /** For a person: why it is asked. */
  readonly reason?: string | undefined;
  /** Present where a call would run: with `approval` and `unknown-outcome`. */
  readonly plan?: Plan | undefined;
  /** True once `POST /chat` has shown this plan, so that `approve` there means it. A renewed plan has not been shown. */
  readonly shownInChat?: true | undefined;
  /** Absent: `continue`. */
  readonly onReject?: OnReject | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; from then on no decision counts. */
  readonly expiresAt: number;
}

/** What a person says of one interrupt. `plan` is the hash of the plan that the person saw. */
export type Decision =
  | { readonly type: "approve"; readonly plan: string }
  | { readonly type: "edit"; readonly plan: string; readonly arguments: JsonObject }
  /** `unasked`: it was said beforehand, of whatever nobody would be there to look at. */
  | {
      readonly type: "reject";
      readonly plan: string;
      readonly reason?: string | undefined;
      readonly dryRun?: true | undefined;
    }
  | { readonly type: "answer"; readonly response: string }
  /** The person did not want to say. */
  | { readonly type: "cancel" };

/** A person's word on one interrupt. */
export interface GivenDecision {
  /** The interrupt's id. */
  readonly id: string;
  readonly decision: Decision;
}

/** `decided` and `cancelled` are ends; an open one past its time is told as `expired`. */
export type InterruptStatus = "open" | "decided" | "expired" | "cancelled";

/** An interrupt with what became of it. */
export interface InterruptRecord extends Interrupt {
  readonly owner: string;
  readonly status: InterruptStatus;
  readonly decision?: Decision | undefined;
  /** Name of the caller who decided. */
  readonly decidedBy?: string | undefined;
  /** Epoch milliseconds. */
  readonly decidedAt?: number | undefined;
}
