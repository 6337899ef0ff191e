// Defines a loaded component of type `mcp`: the server, its allowed tools, and its limits.
import type { ComponentAction } from "./componentActions.ts";

/** Settings for all tools of a server, or for one. */
export type ServedToolPolicy = Pick<
  ComponentAction,
  "approval" | "danger" | "async" | "repeatable" | "idempotent" | "untrusted" | "interrupts"
>;

export interface McpComponent {
  readonly type: "mcp";
  readonly id: string;
  readonly connection: McpConnection;
  /** Patterns of the server's tool names, with `*`; other tools are not offered. */
  readonly tools: readonly string[];
  /** Patterns of tools that are not offered although `tools` matches them. */
  readonly except: readonly string[];
  readonly policy: ServedToolPolicy;
  /** `asked`: a user must agree to every tool definition. `first_listed`: trust on first use, only changes need consent. */
  readonly definitions: "asked" | "first_listed";
  /** Settings that differ for a tool, by the server's own name of it. */
  readonly policies: Readonly<Record<string, ServedToolPolicy>>;
  /** Milliseconds for the initialisation of the server, and again for its tool list. */
  readonly startTimeoutMs: number;
  /** Milliseconds that a call waits for its result or for progress. */
  readonly timeoutMs: number;
  /** Maximum milliseconds of a call, however much progress is reported. */
  readonly maxTimeoutMs: number;
  readonly limits: McpLimits;
}

export type McpConnection =
  /** A program that communicates over standard input and output. `env` is its complete environment. */
  | {
      readonly type: "stdio";
      readonly command: readonly string[];
      /** Absolute path of the executable file. */
      readonly program: string;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  /** A service that communicates over Streamable HTTP. */
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Limits for the messages of a server. */
export interface McpLimits {
  /** Maximum number of tools of one server; the first ones are used. */
  readonly tools: number;
  /** Maximum number of characters of a tool's description. */
  readonly descriptionChars: number;
  /** Maximum number of bytes of the JSON text of a tool's parameters. */
  readonly schemaBytes: number;
  /** Maximum depth of a tool's parameters. */
  readonly schemaDepth: number;
  /** Maximum number of bytes of one message, and so of a result. */
  readonly messageBytes: number;
}
