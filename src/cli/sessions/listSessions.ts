// `postel sessions`: lists the stored sessions, the most recently used first. Changes nothing.
import type { SessionRecord } from "../../core/stores/SessionStore.ts";
import type { Store } from "../../core/stores/Store.ts";
import { wireSession } from "../../server/messages/recordJson.ts";
import { type OwnedFlags, takeNewest, withStore } from "../options/openExistingStore.ts";
import { formatTime, truncate } from "../output/format.ts";
import { getTerminalWidth, renderTable } from "../output/table.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { describeWait } from "../runs/runSummary.ts";
import { readSessionTitle } from "./sessionTitle.ts";

export interface SessionsFlags extends OwnedFlags {
  /** Maximum number of sessions. */
  readonly most: number;
}

/** Resolves with the exit status: 0 even if there are none. */
export async function listSessions(flags: SessionsFlags): Promise<number> {
  const sessions = await withStore(flags, async ({ store, owner, place }) => {
    const records = takeNewest(flags.most, await store.sessions.list(owner, { limit: flags.most + 1 }));
    if (records.length === 0) writeNote(`No session is kept ${place}.`);
    return Promise.all(records.map((session) => toListedSession(store, session)));
  });
  if (flags.json) writeText(`${JSON.stringify({ sessions: (sessions ?? []).map(asJson) }, null, 2)}\n`);
  else if (sessions?.length)
    writeText(renderTable({ heads: HEADS, rows: sessions.map(toTableRow) }, getTerminalWidth()));
  return 0;
}

interface ListedSession {
  readonly session: SessionRecord;
  /** First user message; empty if it is no longer stored. */
  readonly began: string;
  readonly waits: string;
}

async function toListedSession({ sessions, interrupts }: Store, session: SessionRecord): Promise<ListedSession> {
  const { owner, waitingRun } = session;
  const interruptRecords = waitingRun === undefined ? [] : await interrupts.ofRun({ owner, id: waitingRun });
  const open = interruptRecords.filter(({ status }) => status === "open");
  return { session, began: await readSessionTitle(sessions, session), waits: open.map(describeWait).join(", ") };
}

function asJson({ session, began, waits }: ListedSession): object {
  return { ...wireSession(session), first_words: began, ...(waits !== "" && { waits_for: waits }) };
}

/** The most important come first: a narrow terminal drops the last ones. */
const HEADS = ["session", "used", "began with", "waits for", "messages", "mode", "agent"];

/** Maximum characters of the first message. */
const SHOWN = 60;

function toTableRow({ session, began, waits }: ListedSession): readonly string[] {
  const { id, updatedAt, messages, mode, agent = "" } = session;
  return [id, formatTime(updatedAt), truncate(began, SHOWN), waits, String(messages), mode, agent];
}
