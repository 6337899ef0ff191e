// The names of other rooms that configuration may mention; compose hands them in, so that this room knows none by itself.
import type { CommandIssue, ShellCommand } from "../../core/config/components.ts";
import type { AddressIssue, ServerAddress } from "../../core/config/configuration.ts";

export interface KnownNames {
  /** Ids of the format families. */
  readonly families: ReadonlySet<string>;
  /** Ids of reasoning marks. */
  readonly reasoningMarks: ReadonlySet<string>;
  /** Ids of chat templates. */
  readonly wires: ReadonlySet<string>;
  /** Ids of the languages in which upstreams are asked. */
  readonly upstreamWires: ReadonlySet<string>;
  /** What is wrong with the address of an upstream of one of them. */
  addressFault(address: ServerAddress): AddressIssue | undefined;
  /** Why the host of a URL must not be dialled, where its address alone says it. `allow`: see `egress.allow`. */
  hostFault(url: string, allow: readonly string[]): string | undefined;
  /** Whether the host of a URL is public, as far as what is written says it. */
  saysPublic(url: string): boolean;
  /** Whether a text can stand in `egress.allow`. */
  isAllowEntry(text: string): boolean;
  /** Ids of the request quirks. */
  readonly quirks: ReadonlySet<string>;
  /** What of a command no call may have a part in, and has. */
  commandFaults(command: ShellCommand): readonly CommandIssue[];
  /** Names of the built-in tools. */
  readonly tools: ReadonlySet<string>;
  /** Which wire makes requests to such a URL, or whether the given one does, and the address that it has then. */
  readonly wireOfUrl: (url: string, wire?: string) => ServerAddress | undefined;
}
