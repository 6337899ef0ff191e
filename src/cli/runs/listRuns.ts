// `postel runs`: lists stored runs, the newest first. Changes nothing.
import { createFailure, PostelError } from "../../core/failures.ts";
import type { RunStatus } from "../../core/stores/RunStore.ts";
import { systemClock } from "../../network/system.ts";
import { wireRun } from "../../server/messages/recordJson.ts";
import { type OwnedFlags, takeNewest, withStore } from "../options/openExistingStore.ts";
import { formatTime } from "../output/format.ts";
import { getTerminalWidth, renderTable } from "../output/table.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { describeRunStatus, formatMoney, formatRunDuration, type RunSummary, summarizeRun } from "./runSummary.ts";

export interface RunsFlags extends OwnedFlags {
  /** Only runs of this session. */
  readonly session?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Maximum number of runs. */
  readonly most: number;
  /** True if `--events` is given, which only a single run supports. */
  readonly events: boolean;
}

/** Resolves with the exit status: 0 even if there are none. @throws PostelError `invalid_request` if events are requested. */
export async function listRuns(flags: RunsFlags): Promise<number> {
  if (flags.events) {
    throw new PostelError(
      createFailure("invalid_request", "--events are those of one run: give its id; `postel runs` lists them."),
    );
  }
  const runs = await withStore(flags, async ({ store, owner, place }) => {
    const { most, session, status } = flags;
    const records = takeNewest(most, await store.runs.list(owner, { limit: most + 1, session, status }));
    const which = session === undefined && status === undefined ? "No run" : "No such run";
    if (records.length === 0) writeNote(`${which} is kept ${place}.`);
    return Promise.all(records.map((run) => summarizeRun(store, run)));
  });
  if (flags.json) writeText(`${JSON.stringify({ runs: (runs ?? []).map(asJson) }, null, 2)}\n`);
  else if (runs?.length) writeText(renderTable({ heads: HEADS, rows: runs.map(toTableRow) }, getTerminalWidth()));
  return 0;
}

function asJson({ run, open, end }: RunSummary): object {
  return {
    ...wireRun(run, open),
    ...(end && { turns: end.turns }),
    ...(end?.spent && { spent: { ...end.spent } }),
  };
}

/** The most important come first: a narrow terminal drops the last ones. */
const HEADS = ["run", "status", "began", "agent", "took", "turns", "calls", "tokens", "money", "session"];

function toTableRow({ run, end }: RunSummary): readonly string[] {
  const { spent, turns = "" } = end ?? {};
  const began = [
    run.id,
    describeRunStatus(run),
    formatTime(run.createdAt),
    run.agent,
    formatRunDuration(run, systemClock.now()),
  ];
  const used = [turns, spent?.calls ?? "", spent?.tokens ?? ""].map(String);
  return [...began, ...used, formatMoney(spent), run.sessionId ?? ""];
}
