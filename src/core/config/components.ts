// The components of postel.yaml that are tools, as they are once it is loaded. Knows nothing of how they are carried out.

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

/** Those whose actions stand in the configuration. */
export type ActionComponent = Exclude<ToolComponent, McpComponent>;

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

export interface HttpActionConfig extends ServiceAction {
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
  /** The `PATH` that the configuration writes, by which the programs were found; absent: the gateway's own. */
  readonly searchPath?: string | undefined;
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
export interface CommandIssue {
  readonly at: number | "stdin";
  readonly message: string;
}

/** The templates that are filled for a request of the action: what parameters it has, and which credentials it needs. */
export function collectTemplates(
  component: Pick<HttpClientComponent, "headers">,
  { path, query = {}, headers, body = null, form = {} }: Omit<HttpActionConfig, "id" | "tool" | "params">,
): readonly JsonValue[] {
  return [path, query, body, form, { ...component.headers, ...headers }];
}

/** The templates that are filled for a command. */
export function collectCommandTemplates({ command, stdin }: Omit<ShellCommand, "params">): readonly JsonValue[] {
  return [...command, stdin ?? null];
}

/** What a call of a scraper is given. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a template.
export const PAGE_TEMPLATES: readonly string[] = ["${input.url}"];
