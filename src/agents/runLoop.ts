// The only loop: turns and tools until there is an answer, a call for the client, or a limit; a chat completion is its one-turn run. Knows no format.
import { CallKeys } from "../core/CallKeys.ts";
import type { RunEvent, RunLimit, RunOutcome, TurnEnd, TurnEvent } from "../core/events.ts";
import { failure } from "../core/failures.ts";
import type { Clock } from "../core/ports.ts";
import type { NextStep, OpenTurn, RunState } from "../core/run.ts";
import { Outbox, type Take } from "../core/take.ts";
import type { RunTools } from "./AgentTools.ts";
import type { CallMemory } from "./CallMemory.ts";
import { carriedResults } from "./carriedResults.ts";
import { answerTooLong, Deadline } from "./Deadline.ts";
import { decideNextStep } from "./decideNextStep.ts";
import type { AskedCall } from "./executeCalls.ts";
import { askingCall } from "./interruptOf.ts";
import type { Going } from "./Journal.ts";
import { countCircle, countRepeats } from "./repeatedCalls.ts";
import { type SettledTurn, type SettlingServices, settleTurn } from "./settleTurn.ts";
import { TurnHearing } from "./TurnHearing.ts";
import { type TurnServices, TurnTaker } from "./TurnTaker.ts";
import { goingOn, type WaitServices, waitingFor } from "./waiting.ts";
import { withResults } from "./withResults.ts";

export interface RunServices extends TurnServices, SettlingServices, WaitServices {
  readonly memory: Pick<CallMemory, "remember">;
  readonly registry: RunTools;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Milliseconds for the answer of one turn, with all that is tried for it. */
  readonly answerMs: number;
}

/** Between the texts of two turns. */
const TEXT_BREAK = "\n\n";

/**
 * Gives the events of a run, or the further ones of a run that goes on from a state that was saved. A turn's end comes after the
 * gateway has run the turn's calls, or when they wait for a person. The last event is `run-end`, or the `turn-failed` of a run that
 * failed; a cancelled run has both, and one of which `take` has had enough neither.
 * @throws PostelError `run_not_saved`, and for a tool that is no more; what `take` throws.
 */
export async function runLoop(
  state: RunState,
  services: RunServices & Going,
  signal: AbortSignal,
  take: Take<RunEvent>,
): Promise<void> {
  await new RunInProgress(goingOn(state, services.clock), services, signal, take).events();
}

class RunInProgress {
  #state: RunState;
  readonly #services: RunServices & Going;
  readonly #cancelled: AbortSignal;
  /** The whole run's; a run that may take as long as its upstreams do has none. */
  readonly #deadline: Deadline | undefined;
  /** With an output schema only the last turn's text is content, so each turn's waits until it is known which one that is. */
  readonly #bound: boolean;
  readonly #keys = new CallKeys();
  readonly #turns: TurnTaker;
  /** True where a call of a turn may wait for a person: then the client's own calls are told once nothing does. */
  readonly #mayWait: boolean;
  readonly #outbox: Outbox<RunEvent>;

  constructor(state: RunState, services: RunServices & Going, signal: AbortSignal, take: Take<RunEvent>) {
    this.#outbox = new Outbox(take);
    this.#state = state;
    this.#services = services;
    this.#cancelled = signal;
    this.#deadline = state.deadline === undefined ? undefined : new Deadline(signal);
    this.#bound = state.request.output.type !== "text";
    this.#turns = new TurnTaker(services);
    this.#mayWait = state.interactive && state.gatewayTools.length > 0;
  }

  async events(): Promise<void> {
    if (this.#state.turn === 0) this.#tell({ type: "run-start", runId: this.#state.id });
    const { deadline } = this.#state;
    const { clock } = this.#services;
    if (deadline !== undefined) this.#deadline?.start(deadline - clock.now(), clock, RUN_TOO_LONG);
    try {
      while ((await this.#step()) && (await this.#outbox.hand()) !== "enough");
    } finally {
      this.#deadline?.end();
    }
    await this.#outbox.hand();
  }

  #tell(...events: readonly RunEvent[]): void {
    this.#outbox.ready.push(...events);
  }

  /** Aborted where the caller leaves or the run's time is up. */
  get #signal(): AbortSignal {
    return this.#deadline?.signal ?? this.#cancelled;
  }

  get #overdue(): boolean {
    return this.#deadline?.passed ?? false;
  }

  /** What a model does, or what the gateway does after it. True where a further step follows. */
  #step(): Promise<boolean> {
    const { open } = this.#state;
    return open ? this.#close(open) : this.#turn();
  }

  async #turn(): Promise<boolean> {
    const gateway = setOf(this.#state.gatewayTools);
    const hearing = new TurnHearing({ gateway, keepsText: gateway.size > 0 || this.#bound });
    const { answerMs, clock } = this.#services;
    const deadline = new Deadline(this.#signal);
    deadline.start(answerMs, clock, answerTooLong(answerMs));
    try {
      await this.#turns.take(this.#state, deadline.signal, (events) => {
        for (const event of events) {
          hearing.add(event);
          this.#pass(event, hearing);
        }
        return this.#outbox.hand();
      });
    } finally {
      deadline.end();
    }
    if (this.#outbox.enough) return false;
    if (!hearing.end) return this.#broken(hearing);
    const message = hearing.message();
    const { request, messages, turn, tokens } = this.#state;
    this.#services.memory.remember(request, messages, message);
    this.#change({ messages: [...messages, message], turn: turn + 1, tokens: tokens + hearing.tokens });
    return this.#follow(this.#nextStep(hearing), hearing);
  }

  #pass(event: TurnEvent, hearing: TurnHearing): void {
    switch (event.type) {
      case "text-delta":
        if (!this.#bound) this.#text(event, hearing);
        return;
      case "tool-call":
        if (!this.#mayWait && !hearing.isGateway(event.call)) this.#tell(event);
        return;
      // The end of a turn waits for what follows from it.
      case "turn-end":
      case "turn-failed":
        return;
      case "turn-start":
        this.#change({ toolMode: event.toolMode });
        this.#tell(event);
        return;
      case "reasoning-delta":
      case "format-issue":
      case "attempt":
        this.#tell(event);
        return;
      default:
        event satisfies never;
    }
  }

  /** Content, set off from that of earlier turns by a blank line, which no stored message has. */
  #text(event: Extract<TurnEvent, { type: "text-delta" }>, hearing: TurnHearing): void {
    // Whether a text of megabytes is visible was looked through once, when it was heard.
    if (!hearing.textPassed && hearing.wrote) {
      if (this.#state.sentText) this.#tell({ type: "text-delta", text: TEXT_BREAK });
      hearing.textPassed = true;
      this.#change({ sentText: true });
    }
    this.#outbox.ready.push(event);
  }

  #nextStep(hearing: TurnHearing): NextStep {
    const { messages, turn, maxTurns, executed, maxCalls = 0, tokens, totalTokens = 0 } = this.#state;
    return decideNextStep({
      ...hearing.calls(),
      ...{ turn, maxTurns, calls: executed.length, maxCalls, tokens, totalTokens },
      overdue: this.#overdue,
      repeats: Math.max(countRepeats(messages, this.#keys), countCircle(messages, this.#keys)),
      spoke: hearing.spoke,
    });
  }

  /** True where a further step follows. */
  #follow(step: NextStep, hearing: TurnHearing): boolean {
    const { tokens } = hearing;
    const end = hearing.turnEnd();
    switch (step.type) {
      case "final-answer":
      case "no-answer":
        this.#heldText(hearing);
        return this.#finish(end, step.type === "final-answer" ? "answered" : "no-answer");
      case "hand-over":
        this.#heldText(hearing);
        this.#change({
          open: {
            ...NEW,
            execute: step.execute,
            clientCalls: this.#mayWait ? step.calls : [],
            handsOver: true,
            end,
            tokens,
          },
        });
        return true;
      case "stop":
        return this.#stop(end, step.limit);
      case "run-again":
        this.#change({ open: { ...NEW, execute: step.execute, handsOver: false, end, tokens } });
        return true;
      default:
        return step satisfies never;
    }
  }

  /** Brings the gateway's calls of a turn to their results and ends it, or waits for a person. */
  async #close(turn: OpenTurn): Promise<boolean> {
    const { open, asked, stops, untrusted } = await this.#settle(turn);
    this.#change({ open, ...(untrusted && { untrusted }) });
    const isOver = stops || this.#cancelled.aborted || (this.#overdue && !turn.handsOver);
    if (asked.length > 0 && !isOver) return this.#wait(open, asked);
    if (open.settled.length > 0) {
      this.#state = withResults(this.#state, open, this.#keys);
      await this.#services.journal.turned(this.#state);
    }
    if (this.#cancelled.aborted) return this.#cancel();
    if (stops) return this.#finish(endOf(open), "rejected");
    if (turn.handsOver) {
      this.#carryResults();
      this.#tell(...open.clientCalls.map((call) => ({ type: "tool-call", call }) as const));
      return this.#finish({ ...endOf(open), finishReason: "tool_calls" }, "handed-over");
    }
    if (this.#overdue) return this.#stop(endOf(open), "time");
    this.#change({ open: undefined });
    if (open.end) this.#tell({ ...open.end, finishReason: "stop" });
    return true;
  }

  #settle(turn: OpenTurn): Promise<SettledTurn> {
    const tell = async (...events: readonly RunEvent[]): Promise<void> => {
      this.#tell(...events);
      await this.#outbox.hand();
    };
    return settleTurn(this.#state, turn, { ...this.#services, signal: this.#signal, keys: this.#keys, tell });
  }

  /** The turn ends for its reader with what is asked; nobody is asked before that is written down. */
  async #wait(open: OpenTurn, asked: readonly AskedCall[]): Promise<false> {
    const { state, interrupts } = waitingFor(this.#state, open, { asked, ...this.#services });
    this.#state = state;
    await this.#services.journal.waits(state, interrupts);
    for (const interrupt of interrupts)
      this.#tell({ type: "interrupt", interrupt }, { type: "tool-call", call: askingCall(interrupt) });
    return this.#finish({ ...endOf(open), finishReason: "tool_calls" }, "awaiting-human");
  }

  #change(part: Partial<RunState>): void {
    this.#state = { ...this.#state, ...part };
  }

  /** The text of a bound turn that turned out to be the last. */
  #heldText({ text, extra }: TurnHearing): void {
    if (!this.#bound || text === "") return;
    this.#change({ sentText: true });
    this.#tell({ type: "text-delta", text, ...(extra.length > 0 && { extra }) });
  }

  /** The client's history has only what was sent, so what the gateway's tools said must be in it. */
  #carryResults(): void {
    const { executed, sentText } = this.#state;
    if (executed.length === 0) return;
    const text = carriedResults(executed);
    this.#tell({ type: "text-delta", text: sentText ? TEXT_BREAK + text : text });
  }

  #finish(end: TurnEnd, outcome: Exclude<RunOutcome, "limit">): false {
    this.#tell(end, { type: "run-end", outcome, turns: this.#state.turn });
    return false;
  }

  #stop(end: TurnEnd, limit: RunLimit): false {
    this.#tell(
      { ...end, finishReason: "length" },
      { type: "run-end", outcome: "limit", limit, turns: this.#state.turn },
    );
    return false;
  }

  /** A turn without an end: the caller left, the run's time was up, or it failed. */
  #broken(hearing: TurnHearing): false {
    if (this.#cancelled.aborted) return this.#cancel();
    if (this.#overdue) return this.#stop(hearing.turnEnd(), "time");
    this.#tell({ type: "turn-failed", failure: hearing.failure });
    return false;
  }

  #cancel(): false {
    const cause = failure("cancelled", "The run was cancelled before it had an answer.");
    const end: RunEvent = { type: "run-end", outcome: "cancelled", turns: this.#state.turn };
    this.#tell({ type: "turn-failed", failure: cause }, end);
    return false;
  }
}

/** A turn whose calls nobody has looked at. */
const NEW = { settled: [], waiting: [], clientCalls: [] } as const satisfies Partial<OpenTurn>;

/** The turn's end; of one whose reader was told it already, nothing but that it is over. */
function endOf({ end }: OpenTurn): TurnEnd {
  return (
    end ?? {
      type: "turn-end",
      finishReason: "stop",
      upstreamFinishReason: null,
      usagePartial: false,
      attempts: 0,
      retries: 0,
    }
  );
}

const NONE: ReadonlySet<string> = new Set();

function setOf(names: readonly string[] = []): ReadonlySet<string> {
  return names.length > 0 ? new Set(names) : NONE;
}

const RUN_TOO_LONG = failure("turn_timeout", "The run's time is up.");
