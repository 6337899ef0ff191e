// A component of the type `mcp` once it is loaded: a server of tools, which of them are let through, and how much of what it says is heeded. Knows no protocol.
import type { ComponentAction } from "./componentActions.ts";

/** What may be said of all tools of a server, and of one. */
export type ServedToolPolicy = Pick<
  ComponentAction,
  "approval" | "danger" | "async" | "repeatable" | "idempotent" | "untrusted" | "interrupts"
>;

export interface McpComponent {
  readonly type: "mcp";
  readonly id: string;
  readonly connection: McpConnection;
  /** Patterns of the server's own names of tools, `*` for anything: what none of them covers is not let through. */
  readonly tools: readonly string[];
  /** Patterns of those that are not let through all the same. */
  readonly except: readonly string[];
  readonly policy: ServedToolPolicy;
  /** Whether somebody is asked to agree to all that the server says of its tools, or only to what it says otherwise than at first. */
  readonly definitions: "asked" | "first_listed";
  /** What of the policy is another for a tool, by the server's own name of it. */
  readonly policies: Readonly<Record<string, ServedToolPolicy>>;
  /** Milliseconds until the server must have said what it is, and again what its tools are. */
  readonly startTimeoutMs: number;
  /** Milliseconds for which a call waits for its result or a word of progress. */
  readonly timeoutMs: number;
  /** Milliseconds of a call in all, however much progress is told. */
  readonly maxTimeoutMs: number;
  readonly limits: McpLimits;
}

export type McpConnection =
  /** A program that is spoken with over its standard input and output. `env` is its whole environment. */
  | {
      readonly type: "stdio";
      readonly command: readonly string[];
      /** The file that runs: absolute. */
      readonly program: string;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  /** A service that is spoken with over Streamable HTTP. */
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** How much of what a server says is heeded. */
export interface McpLimits {
  /** Tools of one server: those that come first. */
  readonly tools: number;
  /** Characters of what a tool says of itself. */
  readonly descriptionChars: number;
  /** Bytes of the JSON text of a tool's parameters. */
  readonly schemaBytes: number;
  /** Levels of a tool's parameters. */
  readonly schemaDepth: number;
  /** Bytes of one message, and so of a result. */
  readonly messageBytes: number;
}
