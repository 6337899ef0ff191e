// Names from other modules that the configuration may use. The composition root injects them, which avoids imports.
import type { CommandIssue, ShellCommand } from "../../core/config/components.ts";
import type { AddressIssue, ServerAddress } from "../../core/config/configuration.ts";

export interface KnownNames {
  /** Ids of the call formats. */
  readonly families: ReadonlySet<string>;
  /** Ids of reasoning markers. */
  readonly reasoningMarks: ReadonlySet<string>;
  /** Ids of chat templates. */
  readonly wires: ReadonlySet<string>;
  /** Ids of the upstream wire protocols. */
  readonly upstreamWires: ReadonlySet<string>;
  /** Fault of an upstream's address for its wire protocol; undefined if it is valid. */
  addressFault(address: ServerAddress): AddressIssue | undefined;
  /** Reason why the host of a URL must not be dialled, if the address alone shows it. `allow`: see `egress.allow`. */
  hostFault(url: string, allow: readonly string[]): string | undefined;
  /** Returns true if the host of a URL is public, judged by its text. */
  saysPublic(url: string): boolean;
  /** Returns true if the text is valid in `egress.allow`. */
  isAllowEntry(text: string): boolean;
  /** Ids of the request quirks. */
  readonly quirks: ReadonlySet<string>;
  /** Parts of a command that no call may control but that a call controls. */
  commandFaults(command: ShellCommand): readonly CommandIssue[];
  /** Names of the built-in tools. */
  readonly tools: ReadonlySet<string>;
  /**
   * The wire protocol for requests to this URL with the resulting address; with `wire`, checks that protocol only. Undefined
   * if none matches.
   */
  readonly parseServerUrl: (url: string, wire?: string) => ServerAddress | undefined;
}
