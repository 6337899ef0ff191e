// The components of postel.yaml that are tools, as they are once it is loaded. Knows nothing of how they are carried out.
import type { JsonObject, JsonValue } from "./messages.ts";

export type ToolComponent = HttpClientComponent;

/** An HTTP service as a tool, in the declarative component form. */
export interface HttpClientComponent {
  readonly type: "http-client";
  readonly id: string;
  readonly description: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly actions: readonly HttpActionConfig[];
}

export interface HttpActionConfig {
  readonly id: string;
  /** The name that models call it by: the component's id, or `component.action` where there are several actions. */
  readonly tool: string;
  readonly description?: string | undefined;
  readonly method: string;
  /** May hold `${input.x}` in path segments and query values, never in the host. */
  readonly path: string;
  readonly body?: JsonValue | undefined;
  /** A template such as `${response.results}`; absent: the whole response body. */
  readonly output?: string | undefined;
  /** A template such as `${response.results}` of the list that the result rests on; absent: none is named. */
  readonly sources?: string | undefined;
  /** Refinements of the parameters that the `${input.…}` placeholders imply, as JSON Schemas by name. */
  readonly params: Readonly<Record<string, JsonObject>>;
  /** True where equal calls of a run are each sent to the service. */
  readonly repeatable?: boolean | undefined;
  /** True where the service does what it is asked once for each `Idempotency-Key`; what only reads is so by itself. */
  readonly idempotent?: boolean | undefined;
  readonly approval?: ApprovalPolicy | undefined;
  /** False where what the service says is the operator's own; absent: it is written by anybody. */
  readonly untrusted?: boolean | undefined;
  /** What of its answers a person is asked about, by the name of the need. */
  readonly interrupts?: Readonly<Record<string, AnswerNeed>> | undefined;
}

/** What a person is asked where an answer of a service fits the schema. */
interface AnswerNeed {
  readonly when: JsonObject;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** Whether a person must agree before a call runs: to none, to each, or to those whose arguments fit the schema. */
export type ApprovalPolicy =
  | { readonly type: "never" }
  | { readonly type: "always" }
  | { readonly type: "when"; readonly schema: JsonObject };
