// Stores sessions and their messages.
import type { Message } from "../messages.ts";
import type { OwnerKey } from "./OwnerKey.ts";

/** `normal` answers without tools, `agent` with all tools of the agent. */
export const SESSION_MODES = ["normal", "agent"] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

export interface SessionRecord {
  readonly owner: string;
  /** 1–128 letters, digits and `_-.:`, chosen by the client or the gateway. */
  readonly id: string;
  /** The agent of the session; absent: the default one. */
  readonly agent?: string | undefined;
  readonly mode: SessionMode;
  /** The run that waits for an approver; the session continues only with it. */
  readonly waitingRun?: string | undefined;
  /** True if a model has read untrusted content in the session: later messages may be influenced by it. */
  readonly untrusted?: true | undefined;
  /** Number of messages so far; the oldest messages of a full session are deleted. */
  readonly messages: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionStore {
  /** Creates the session if it does not exist; otherwise changes the given fields. */
  open(key: OwnerKey, given: Partial<Pick<SessionRecord, "agent" | "mode">>): Promise<SessionRecord>;
  get(key: OwnerKey): Promise<SessionRecord | undefined>;
  /** Latest first. `before`: only sessions changed before this time (epoch milliseconds). */
  list(
    owner: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly SessionRecord[]>;
  /** Deletes the session with its messages. Returns false if it did not exist. */
  delete(key: OwnerKey): Promise<boolean>;
  /** The latest `limit` messages in order, or all that are stored. */
  messages(key: OwnerKey, limit?: number): Promise<readonly Message[]>;
  /** The oldest `limit` stored messages, in order. */
  oldest(key: OwnerKey, limit: number): Promise<readonly Message[]>;
  /**
   * Appends messages; the oldest turns of a full session are deleted. The session then waits for `waitingRun`, or for no
   * run if it is absent. It becomes `untrusted` if these messages are, and stays so after they are deleted. @throws
   * PostelError `session_not_found`.
   */
  append(key: OwnerKey, messages: readonly Message[], waitingRun?: string, untrusted?: true): Promise<void>;
  /**
   * Deletes the messages after the first `last`; the session then waits for no run. It is no longer `untrusted` if only
   * the deleted messages were. @throws PostelError `session_not_found`.
   */
  cut(key: OwnerKey, last: number): Promise<void>;
  /** Acquires the session's lease for one turn: true, or the milliseconds until the current lease ends. */
  hold(key: OwnerKey, holder: string, ms: number): Promise<true | number>;
  release(key: OwnerKey, holder: string): Promise<void>;
}
