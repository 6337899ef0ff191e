// Defines the components of the loaded postel.yaml that are tools.

import type { JsonValue } from "../messages.ts";
import type { ComponentAction, ServiceAction } from "./componentActions.ts";
import type { McpComponent } from "./mcpComponent.ts";
import type { OpenApiComponent } from "./openApiComponent.ts";
import type { VectorStoreComponent } from "./vectorStoreComponent.ts";
import type { WebScraperComponent } from "./webScraperComponent.ts";

export type ToolComponent =
  | HttpClientComponent
  | ShellComponent
  | McpComponent
  | OpenApiComponent
  | WebScraperComponent
  | VectorStoreComponent;

/** Components whose actions are listed in the configuration. */
export type ActionComponent = Exclude<ToolComponent, McpComponent>;

/** An HTTP service as a tool, in the declarative component form. */
export interface HttpClientComponent {
  readonly type: "http-client";
  readonly id: string;
  readonly description: string;
  readonly baseUrl: string;
  /** Templates, sent with every action. */
  readonly headers: Readonly<Record<string, string>>;
  readonly actions: readonly HttpActionConfig[];
}

export interface HttpActionConfig extends ServiceAction {
  /** May contain placeholders in path segments and query values, never in the host. */
  readonly path: string;
  /** Templates by parameter name; null is left out, and a list becomes one parameter per value. */
  readonly query?: Readonly<Record<string, JsonValue>> | undefined;
  /** Templates; they override those of the component. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A template, sent as JSON. */
  readonly body?: JsonValue | undefined;
  /** Templates like those of `query`, sent as a web form. */
  readonly form?: Readonly<Record<string, JsonValue>> | undefined;
}

/** Programs as tools. Each action is a command as a list of arguments, which no shell interprets. */
export interface ShellComponent {
  readonly type: "shell";
  readonly id: string;
  readonly description: string;
  /** Working directory of the commands; paths among their arguments must stay below it. Absolute, without symbolic links. */
  readonly cwd: string;
  /** The complete environment of the programs; values may contain placeholders of `owner`. */
  readonly env: Readonly<Record<string, string>>;
  /** The configured `PATH` with which the programs were found; absent: the gateway's own. */
  readonly searchPath?: string | undefined;
  readonly actions: readonly ShellActionConfig[];
}

export interface ShellActionConfig extends ComponentAction {
  /** `argv[0]` and the arguments; an argument may be or end in an `${input.x}`. */
  readonly command: readonly string[];
  /** Absolute path of the executable file. */
  readonly program: string;
  /** A template of the standard input; absent: empty. */
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  /** A template such as `${result.stdout}`; absent: all of `result`, which has `stdout`, `stderr` and `exit_code`. */
  readonly output?: string | undefined;
}

/** A command as configured, with its placeholders. */
export type ShellCommand = Pick<ShellActionConfig, "command" | "stdin" | "params">;

/** An error in a command, with the index of the argument, or `stdin`. */
export interface CommandIssue {
  readonly at: number | "stdin";
  readonly message: string;
}

/** The templates that a request of the action fills; its parameters and credentials follow from them. */
export function collectTemplates(
  component: Pick<HttpClientComponent, "headers">,
  { path, query = {}, headers, body = null, form = {} }: Omit<HttpActionConfig, "id" | "tool" | "params">,
): readonly JsonValue[] {
  return [path, query, body, form, { ...component.headers, ...headers }];
}

/** The templates that a command fills. */
export function collectCommandTemplates({ command, stdin }: Omit<ShellCommand, "params">): readonly JsonValue[] {
  return [...command, stdin ?? null];
}

/** Templates of a scraper's call. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a template.
export const PAGE_TEMPLATES: readonly string[] = ["${input.url}"];
