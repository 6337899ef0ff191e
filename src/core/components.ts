// The components of postel.yaml that are tools, as they are once it is loaded. Knows nothing of how they are carried out.
import type { JsonObject, JsonValue } from "./messages.ts";

export type ToolComponent = HttpClientComponent | ShellComponent;

/** An HTTP service as a tool, in the declarative component form. */
export interface HttpClientComponent {
  readonly type: "http-client";
  readonly id: string;
  readonly description: string;
  readonly baseUrl: string;
  /** Templates, which go with every action. */
  readonly headers: Readonly<Record<string, string>>;
  readonly actions: readonly HttpActionConfig[];
}

/** What a component's action has, whatever carries it out. */
interface ComponentAction {
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
  /** False where what it brings is the operator's own; absent: it is written by anybody. */
  readonly untrusted?: boolean | undefined;
  /** What of its answers a person is asked about, by the name of the need. */
  readonly interrupts?: Readonly<Record<string, AnswerNeed>> | undefined;
}

export interface HttpActionConfig extends ComponentAction {
  readonly method: string;
  /** May hold placeholders in path segments and query values, never in the host. */
  readonly path: string;
  /** Templates by the name of the parameter; null is left out, and a list is one parameter for each of its values. */
  readonly query?: Readonly<Record<string, JsonValue>> | undefined;
  /** Templates; they go before those of the component. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A template, sent as JSON. */
  readonly body?: JsonValue | undefined;
  /** Templates as those of `query`, sent as a web form. */
  readonly form?: Readonly<Record<string, JsonValue>> | undefined;
  /** A template such as `${response.results}`; absent: the whole response body. */
  readonly output?: string | undefined;
  /** A template such as `${response.results}` of the list that the result rests on; absent: none is named. */
  readonly sources?: string | undefined;
  /** How often an answer that sends the request elsewhere is followed, to origins of the configuration; absent: never. */
  readonly redirects?: number | undefined;
  /** How often a call that got no answer, or one that may be another the next time, is sent again; absent: as the gateway's policy says. */
  readonly retries?: number | undefined;
  /** Milliseconds of one call; absent: `tool_ms`. */
  readonly timeoutMs?: number | undefined;
  /** True where the service does what it is asked once for each `Idempotency-Key`; what only reads is so by itself. */
  readonly idempotent?: boolean | undefined;
}

/** Programs as tools. Each action is a command in words, which no shell reads. */
export interface ShellComponent {
  readonly type: "shell";
  readonly id: string;
  readonly description: string;
  /** Where the commands run, and what a path among their words stays below: absolute, without links. */
  readonly cwd: string;
  /** The whole environment of the programs; values may hold placeholders of the root `owner`. */
  readonly env: Readonly<Record<string, string>>;
  readonly actions: readonly ShellActionConfig[];
}

export interface ShellActionConfig extends ComponentAction {
  /** The program by the name that it is told is its own, and its words; those may be or end in an `${input.x}`. */
  readonly command: readonly string[];
  /** The file that runs: absolute. */
  readonly program: string;
  /** A template of what stands on its standard input; absent: nothing does. */
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  /** A template such as `${result.stdout}`; absent: all of `result`, which has `stdout`, `stderr` and `exit_code`. */
  readonly output?: string | undefined;
}

/** A command as it is written, with its placeholders. */
export type ShellCommand = Pick<ShellActionConfig, "command" | "stdin" | "params">;

/** What is wrong with a command, where: the place of a word, or what stands on its standard input. */
export interface CommandFault {
  readonly at: number | "stdin";
  readonly message: string;
}

/** What a person is asked where what came back fits the schema. */
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

/** The templates that are filled for a request of the action: what parameters it has, and which credentials it needs. */
export function templatesOf(
  component: Pick<HttpClientComponent, "headers">,
  { path, query = {}, headers, body = null, form = {} }: Omit<HttpActionConfig, "id" | "tool" | "params">,
): readonly JsonValue[] {
  return [path, query, body, form, { ...component.headers, ...headers }];
}

/** The templates that are filled for a command. */
export function templatesOfCommand({ command, stdin }: Omit<ShellCommand, "params">): readonly JsonValue[] {
  return [...command, stdin ?? null];
}
