// `postel runs ID`: shows a run: request, turns, decisions, open interrupts and outcome. Changes nothing.
import { once } from "node:events";
import { createFailure, PostelError } from "../../core/failures.ts";
import { escapeArguments } from "../../core/json/escapeInvisible.ts";
import { joinText } from "../../core/messages.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { Decision, InterruptRecord } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { RunRecord, RunStore } from "../../core/stores/RunStore.ts";
import { systemClock } from "../../network/system.ts";
import { wireRun, wireStoredMessage } from "../../server/messages/recordJson.ts";
import { readRunEvents } from "../../sessions/foldRun.ts";
import { type OpenStore, type OwnedFlags, withStore } from "../options/openExistingStore.ts";
import { formatTime, pluralize, truncate } from "../output/format.ts";
import { formatShellCommand } from "../output/shellCommand.ts";
import { type Fact, renderFacts } from "../output/table.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { OUTCOME_TEXT } from "../run/eventText.ts";
import { collectRunSteps, type RunStep } from "./runSteps.ts";
import {
  describeRunStatus,
  describeWait,
  formatMoney,
  formatRunDuration,
  type RunSummary,
  summarizeRun,
} from "./runSummary.ts";

export interface ShowRunFlags extends OwnedFlags {
  /** Its numbered events instead, a line of JSON each. */
  readonly events: boolean;
}

/** Resolves with the exit status: 1 if there is no store. @throws PostelError `run_not_found`. */
export async function showRun(id: string, flags: ShowRunFlags): Promise<number> {
  const status = await withStore(flags, async (kept) => {
    const key = { owner: kept.owner, id };
    const run = await kept.store.runs.get(key);
    if (!run) {
      const message = `There is no run ${JSON.stringify(id)} ${kept.place}.`;
      throw new PostelError(createFailure("run_not_found", message));
    }
    if (flags.events) await writeEvents(kept.store.runs, key);
    else await tell(kept, await summarizeRun(kept.store, run), flags);
    return 0;
  });
  return status ?? 1;
}

/** Number of events that are read at once. */
const A_PIECE = 500;

async function writeEvents(runs: Pick<RunStore, "events">, key: OwnerKey): Promise<void> {
  for (let after = 0; ; ) {
    const piece = await runs.events(key, after, A_PIECE);
    writeText(piece.map((numbered) => `${JSON.stringify(numbered)}\n`).join(""));
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
    const last = piece.at(-1);
    if (!last || piece.length < A_PIECE) return;
    after = last.seq;
  }
}

async function tell({ store }: OpenStore, summary: RunSummary, flags: ShowRunFlags): Promise<void> {
  const { run, open } = summary;
  const state = await readRunState(store.runs, run);
  const events = await readRunEvents(store.runs, run);
  const gone = run.events - events.length;
  if (gone > 0) writeNote(`Of its events ${gone} are no longer kept; what they told is not shown.`);
  const steps = collectRunSteps(events);
  const asked = await store.interrupts.ofRun(run);
  if (flags.json) writeText(`${JSON.stringify(asJson({ summary, state, steps, asked }), null, 2)}\n`);
  else writeText(renderFacts(listFacts({ summary, state, steps, asked })));
  if (run.status === "running" && !(await isLeft(store.runs, run))) writeNote("It goes on now.");
  else if (run.status === "running" || run.status === "stuck") writeNote(howToGoOn(run, flags));
  for (const { id } of open) writeNote(howToDecide(run, id, flags));
}

/** Maximum number of abandoned runs among which the run is searched. */
const MOST_LEFT = 10_000;

async function isLeft(runs: Pick<RunStore, "abandoned">, run: OwnerKey): Promise<boolean> {
  return (await runs.abandoned(MOST_LEFT)).some(({ owner, id }) => owner === run.owner && id === run.id);
}

function howToGoOn(run: RunRecord, flags: ShowRunFlags): string {
  if (run.background && run.status === "running")
    return "Its process has ended: a gateway on this store goes on with it.";
  return `Nobody goes on with it by itself: ${ways(run, resuming(run, flags), "resume")}`;
}

function howToDecide(run: RunRecord, interrupt: string, flags: ShowRunFlags): string {
  const { config, store } = flags;
  const here =
    run.sessionId === undefined
      ? resuming(run, flags)
      : formatShellCommand(["postel", "chat"], { session: run.sessionId, config, store });
  return `Decide on ${interrupt}: ${ways(run, here, `interrupts/${interrupt}`)}`;
}

function resuming({ id }: RunRecord, { config, store }: ShowRunFlags): string {
  return formatShellCommand(["postel", "run"], { resume: id, config, store });
}

/** The local user is the owner of runs without a key; other owners use HTTP. */
function ways({ owner, id }: RunRecord, here: string, path: string): string {
  return `${owner === LOCAL_CALLER.name ? `${here}, or ` : ""}POST /v1/agent/runs/${id}/${path}`;
}

/** Resolves with undefined if no state was saved, or it is damaged: the events still show what the run did. */
async function readRunState(runs: Pick<RunStore, "look">, key: OwnerKey): Promise<RunState | undefined> {
  try {
    return (await runs.look(key))?.state;
  } catch (error) {
    if (!(error instanceof PostelError)) throw error;
    writeNote(error.message);
    return undefined;
  }
}

interface RunDetails {
  readonly summary: RunSummary;
  readonly state: RunState | undefined;
  readonly steps: readonly RunStep[];
  readonly asked: readonly InterruptRecord[];
}

function asJson({ summary: { run, open, end }, state, steps, asked }: RunDetails): object {
  return {
    ...wireRun(run, open),
    ...(state && { model: state.request.model, messages: state.request.messages.map(wireStoredMessage) }),
    ...(end && { turns: end.turns }),
    ...(end?.spent && { spent: { ...end.spent } }),
    steps: steps.map((step) => ({ ...step })),
    decisions: asked.map(({ id, type, question, plan, status, decision, decidedBy, decidedAt }) => ({
      ...{ id, type, question, status },
      ...(plan && { tool: plan.tool, arguments: plan.arguments }),
      ...(decision && { decision: { ...decision } }),
      ...(decidedBy !== undefined && { by: decidedBy }),
      ...(decidedAt !== undefined && { at: decidedAt }),
    })),
  };
}

/** Characters of a text that are shown of a step. */
const SHOWN = 300;

function listFacts({ summary: { run, end }, state, steps, asked }: RunDetails): readonly Fact[] {
  const { spent } = end ?? {};
  const words = state?.request.messages.findLast(({ role }) => role === "user");
  const used = spent && [pluralize(spent.calls, "call"), pluralize(spent.tokens, "token"), formatMoney(spent)];
  return [
    ["run", run.id],
    ["session", run.sessionId],
    ["agent", state?.action === undefined ? run.agent : `${run.agent}, ${state.action}`],
    ["began", formatTime(run.createdAt)],
    ["took", formatRunDuration(run, systemClock.now())],
    ["spent", used && [pluralize(end?.turns ?? 0, "turn"), ...used].filter((part) => part !== "").join(", ")],
    [
      "status",
      [describeRunStatus(run), run.outcome && OUTCOME_TEXT[run.outcome], run.failure?.message]
        .filter(Boolean)
        .join(": "),
    ],
    ["asked", words && truncate(joinText(words.content), SHOWN)],
    ...steps.flatMap((step) => factsOfStep(step, asked)),
  ];
}

function factsOfStep(step: RunStep, asked: readonly InterruptRecord[]): readonly Fact[] {
  const within = step.agent === undefined ? "" : `${step.agent} `;
  const fact = (text: string): readonly Fact[] => [[`  ${within}${step.type}`, truncate(text, SHOWN)]];
  switch (step.type) {
    case "turn":
      return [[`turn ${step.turn}`, `${step.model}, ${step.tool_mode}`]];
    case "says":
    case "thinks":
    case "note":
      return fact(step.text);
    case "calls":
      return fact(`${step.tool} ${step.arguments}`);
    case "got":
    case "failed":
      return fact(`${step.tool}: ${step.content}`);
    case "asks": {
      const record = asked.find(({ id }) => id === step.id);
      if (!record) return fact(step.question);
      const what = record.plan ? `${describeWait(record)} ${escapeArguments(record.plan)}` : step.question;
      const reason = record.plan?.danger ?? record.reason;
      return [...fact(what), ["  because", reason], ["  decided", truncate(describeDecision(record), SHOWN)]];
    }
    case "ended":
      return [];
    default:
      return step satisfies never;
  }
}

/** The decision on a question, and its author. */
function describeDecision({ status, decision, decidedBy = "", decidedAt = 0, expiresAt }: InterruptRecord): string {
  if (decision) return `${formatDecision(decision)} (${decidedBy}, ${formatTime(decidedAt)})`;
  switch (status) {
    case "open":
      return `not yet; until ${formatTime(expiresAt)}`;
    case "expired":
      return "by nobody in time";
    default:
      return "no more: the run ended before";
  }
}

function formatDecision(decision: Decision): string {
  switch (decision.type) {
    case "approve":
      return "yes";
    case "edit":
      return `yes, with other arguments: ${JSON.stringify(decision.arguments)}`;
    case "reject":
      return decision.reason === undefined ? "no" : `no: ${decision.reason}`;
    case "answer":
      return decision.response;
    case "cancel":
      return "no answer was given";
    default:
      return decision satisfies never;
  }
}
