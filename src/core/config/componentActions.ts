// What the actions of all components have, whatever carries them out. Knows no kind of component.

import type { RedirectOrigin } from "../http/redirectOrigins.ts";
import type { JsonObject } from "../messages.ts";

/** What a component's action has, whatever carries it out. */
export interface ComponentAction {
  readonly id: string;
  /** The name that models call it by: the component's id, or `component.action` where there are several actions. */
  readonly tool: string;
  readonly description?: string | undefined;
  /** Refinements of the parameters that the `${input.…}` placeholders imply, as JSON Schemas by name. */
  readonly params: Readonly<Record<string, JsonObject>>;
  /** True where equal calls of a run are each carried out. */
  readonly repeatable?: boolean | undefined;
  /** True where a call has a task's id at once, and the work goes on beside the run's turns. */
  readonly async?: boolean | undefined;
  /** True where a call may run again though it may have run before. */
  readonly idempotent?: boolean | undefined;
  readonly approval?: ApprovalPolicy | undefined;
  /** Which of its calls wait for an approver as dangerous; absent: as the configuration's `danger` says. */
  readonly danger?: DangerPolicy | undefined;
  /** False where what it brings is the operator's own; absent: it is written by anybody. */
  readonly untrusted?: boolean | undefined;
  /** What of its answers a person is asked about, by the name of the need. */
  readonly interrupts?: Readonly<Record<string, AnswerNeed>> | undefined;
}

/** What an action of an HTTP service has, however its request is made. */
export interface ServiceAction extends ComponentAction {
  readonly method: string;
  /** A template such as `${response.results}`; absent: the whole response body. */
  readonly output?: string | undefined;
  /** A template such as `${response.results}` of the list that the result rests on; absent: none is named. */
  readonly sources?: string | undefined;
  /** How often an answer that sends the request elsewhere is followed; absent: never. */
  readonly redirects?: number | undefined;
  /** Where it is followed to beside the action's own origin; absent: nowhere. */
  readonly redirectOrigins?: readonly RedirectOrigin[] | undefined;
  /** How often a call that got no answer, or one that may be another the next time, is sent again; absent: as the gateway's policy says. */
  readonly retries?: number | undefined;
  /** Milliseconds of one call; absent: `tool_ms`. */
  readonly timeoutMs?: number | undefined;
  /** True where the service does what it is asked once for each `Idempotency-Key`; what only reads is so by itself. */
  readonly idempotent?: boolean | undefined;
}

/** Whether a request of this method changes nothing (RFC 9110, 9.2.1). */
export function readsOnly(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** What a person is asked where what came back fits the schema. */
interface AnswerNeed {
  readonly when: JsonObject;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/**
 * Which calls are dangerous: none (`off`), those that destroy, give away, run or send (`on`), or also every command that is not known to
 * only read (`strict`).
 */
export type DangerPolicy = "off" | "on" | "strict";

/** Whether a person must agree before a call runs: to none, to each, or to those whose arguments fit the schema. */
export type ApprovalPolicy =
  | { readonly type: "never" }
  | { readonly type: "always" }
  | { readonly type: "when"; readonly schema: JsonObject };
