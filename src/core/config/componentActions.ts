// Defines the members that the actions of all components share.

import type { RedirectOrigin } from "../http/redirectOrigins.ts";
import type { JsonObject } from "../messages.ts";

/** Members of an action of any component. */
export interface ComponentAction {
  readonly id: string;
  /** The tool name for models: the component's id, or `component.action` if there are several actions. */
  readonly tool: string;
  readonly description?: string | undefined;
  /** Additional JSON Schemas, by name, for the parameters that the `${input.…}` placeholders imply. */
  readonly params: Readonly<Record<string, JsonObject>>;
  /** True if equal calls of a run are each executed. */
  readonly repeatable?: boolean | undefined;
  /** True if a call returns a task id at once and continues while further turns run. */
  readonly async?: boolean | undefined;
  /** True if a call may run again after it may have run before. */
  readonly idempotent?: boolean | undefined;
  readonly approval?: ApprovalPolicy | undefined;
  /** Rule for calls that need an approval because of their risk; absent: the configuration's `danger`. */
  readonly danger?: DangerPolicy | undefined;
  /** False if its results are the operator's own content; absent: they are untrusted. */
  readonly untrusted?: boolean | undefined;
  /** Questions to the user about its responses, by name. */
  readonly interrupts?: Readonly<Record<string, AnswerNeed>> | undefined;
}

/** Members of an action of an HTTP service. */
export interface ServiceAction extends ComponentAction {
  readonly method: string;
  /** A template such as `${response.results}`; absent: the complete response body. */
  readonly output?: string | undefined;
  /** A template such as `${response.results}` for the list of sources of the result; absent: none. */
  readonly sources?: string | undefined;
  /** Maximum number of redirects; absent: none are followed. */
  readonly redirects?: number | undefined;
  /** Origins that redirects may lead to, besides the action's own; absent: none. */
  readonly redirectOrigins?: readonly RedirectOrigin[] | undefined;
  /** Number of retries of a call without a response, or with a temporary error; absent: the gateway's policy. */
  readonly retries?: number | undefined;
  /** Timeout of a call in milliseconds; absent: `tool_ms`. */
  readonly timeoutMs?: number | undefined;
  /** True if the service executes a request once per `Idempotency-Key`; reading requests always are. */
  readonly idempotent?: boolean | undefined;
}

/** Returns true if requests of this method change nothing (RFC 9110, 9.2.1). */
export function readsOnly(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** The question to the user if the response matches the schema. */
interface AnswerNeed {
  readonly when: JsonObject;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** Rule for risky calls: none (`off`), calls that delete, disclose, execute or send (`on`), or also every command that is not known to be read-only (`strict`). */
export type DangerPolicy = "off" | "on" | "strict";

/** Rule for approvals before a call runs: never, always, or if the arguments match the schema. */
export type ApprovalPolicy =
  | { readonly type: "never" }
  | { readonly type: "always" }
  | { readonly type: "when"; readonly schema: JsonObject };
