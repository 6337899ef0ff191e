// Stored conversations: adds the history to new messages, and runs one turn at a time.

import type { AgentRunRequest } from "../agents/AgentRunRequest.ts";
import { resolveAgent } from "../agents/planning/resolveAgent.ts";
import type { AgentConfig, LimitsConfig } from "../core/config/configuration.ts";
import { type Collected, Collector, type CollectorOptions } from "../core/events/Collector.ts";
import type { EventSink } from "../core/events/EventSink.ts";
import type { RunEvent } from "../core/events/events.ts";
import { PostelError } from "../core/failures.ts";
import { joinText, type Message } from "../core/messages.ts";
import type { AlarmClock } from "../core/ports.ts";
import type { Caller } from "../core/requests.ts";
import type { Decision, GivenDecision } from "../core/runs/interrupts.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { RunRecord } from "../core/stores/RunStore.ts";
import type { SessionMode, SessionRecord } from "../core/stores/SessionStore.ts";
import type { Store } from "../core/stores/Store.ts";
import type { RunService, RunSubscriber } from "../runs/RunService.ts";
import { collectRun } from "./foldRun.ts";
import { readLastTurn } from "./lastTurn.ts";
import type { MemoryExtractor } from "./MemoryExtractor.ts";
import { SessionLock } from "./SessionLock.ts";
import { createNoTurnError, createRunningError, createUnknownSessionError, runWaits } from "./sessionFailures.ts";
import { answerMessages, selectNewMessages, trimToLimit } from "./sessionMessages.ts";

export interface SessionServices {
  readonly store: Pick<Store, "sessions" | "runs" | "interrupts">;
  readonly runs: Pick<RunService, "ask" | "start" | "decide" | "decideAll" | "open" | "resume" | "cancel">;
  /** Absent if no agent saves memories automatically. */
  readonly memoryExtractor?: Pick<MemoryExtractor, "scheduleExtraction"> | undefined;
  readonly agents: readonly AgentConfig[];
  readonly limits: Pick<LimitsConfig, "run">;
  readonly clock: AlarmClock;
  /** Maximum number of messages of one request, including the history. */
  readonly maxMessages: number;
}

/** One turn of a session. */
export interface SessionTurn {
  readonly session: OwnerKey;
  /** Its messages are the new ones. */
  readonly request: AgentRunRequest;
}

/** Decisions about the interrupts of a session's run. */
export interface SessionDecisions {
  readonly session: OwnerKey;
  readonly run: string;
  readonly decisions: readonly GivenDecision[];
  readonly decidedBy: Caller;
  /** The id of the request with the decisions. */
  readonly holder: string;
}

/** A session stores the emitted content, without the reasoning. */
const KEPT: CollectorOptions = { text: true, maxExtraChars: 0, calls: true };

export class SessionService {
  readonly #services: SessionServices;
  readonly #lock: SessionLock;

  constructor(services: SessionServices) {
    this.#services = services;
    this.#lock = new SessionLock(services.store.sessions, services.clock);
  }

  /**
   * Runs a turn, whose answer is stored before its last event is emitted. If the session waits for an answer to a
   * question, the user's message is that answer.
   * @throws PostelError `session_busy`, `run_waiting` if something other than a question is open, and failures of the
   * store.
   */
  async ask(turn: SessionTurn, reader: RunSubscriber): Promise<void> {
    const { signal, onEvents } = reader;
    await this.#runLocked(turn, signal, async (waitingRun, lockSignal) => {
      if (waitingRun !== undefined) {
        await this.#answer(turn, waitingRun, { ...reader, signal: lockSignal });
        return;
      }
      const { request, added } = await this.#addHistory(turn.session, turn.request);
      const collector = new Collector(KEPT);
      const forwardEvents: EventSink<RunEvent> = (events) => {
        for (const event of events) collector.add(event);
        return onEvents(events);
      };
      await this.#services.runs.ask(request, { signal: lockSignal, onEvents: forwardEvents, store: true });
      const value = collector.getCollected();
      await this.#emitFailures(onEvents, () => this.#storeTurn(turn.session, added, value, request.chat.id));
      if (value.outcome !== "answered" || value.failure) return;
      const run = { owner: turn.session.owner, id: request.chat.id };
      if (!value.untrusted) this.#services.memoryExtractor?.scheduleExtraction({ run, request, added });
    });
  }

  /** Starts a turn in the background. @throws PostelError as `ask` does, and `run_waiting` if anything is open. */
  async start(turn: SessionTurn, signal: AbortSignal): Promise<RunRecord> {
    return await this.#runLocked(turn, signal, async (waitingRun) => {
      if (waitingRun !== undefined) {
        const run = { owner: turn.session.owner, id: waitingRun };
        throw runWaits(run, await this.#services.runs.open(run));
      }
      const { request, added } = await this.#addHistory(turn.session, turn.request);
      const record = await this.#services.runs.start(request);
      await this.#services.store.sessions.append(turn.session, added, record.id);
      return record;
    });
  }

  /** Takes decisions about a run of the session, all or none, and resumes the run. @throws PostelError as `RunService.decide` does. */
  async decide({ session, run, decisions, decidedBy, holder }: SessionDecisions, reader: RunSubscriber): Promise<void> {
    await this.#lock.runWithLock(session, { holder, signal: reader.signal }, async (lockSignal) => {
      const { runs } = this.#services;
      if (decisions.length > 0) await runs.decideAll(session.owner, decisions, decidedBy);
      await this.#continueSession(session, run, { ...reader, signal: lockSignal });
    });
  }

  /** @throws PostelError `session_not_found`. */
  async get(key: OwnerKey): Promise<SessionRecord> {
    const session = await this.#services.store.sessions.get(key);
    if (!session) throw createUnknownSessionError(key.id);
    return session;
  }

  /** Sets the mode of the session for later turns; its history stays. @throws PostelError `session_not_found`, `session_busy`. */
  async setMode(key: OwnerKey, mode: SessionMode, holder: string): Promise<SessionRecord> {
    await this.get(key);
    return await this.#lock.runWithLock(key, { holder, signal: NEVER }, () =>
      this.#services.store.sessions.open(key, { mode }),
    );
  }

  /** Deletes the session with its messages; a waiting run is cancelled. @throws PostelError `session_not_found`, `session_busy`. */
  async delete(key: OwnerKey, holder: string): Promise<void> {
    await this.#afterTurns(key, holder, async () => {
      await this.#services.store.sessions.delete(key);
    });
  }

  /**
   * Removes the last turn of the session; its run is cancelled if it waits. Effects of tools are not undone. Returns the
   * user's message of the turn.
   * @throws PostelError `session_not_found`, `session_busy`, `invalid_request` if there is no turn.
   */
  async removeLastTurn(key: OwnerKey, holder: string): Promise<Message> {
    const { store, maxMessages } = this.#services;
    return await this.#afterTurns(key, holder, async () => {
      const turn = await readLastTurn(store, await this.get(key), maxMessages);
      if (!turn) throw createNoTurnError(key.id);
      await store.sessions.cut(key, turn.before);
      return turn.userMessage;
    });
  }

  /** Runs `work` while no turn runs or waits. */
  async #afterTurns<Value>(key: OwnerKey, holder: string, work: () => Promise<Value>): Promise<Value> {
    const { waitingRun } = await this.get(key);
    const { runs, store } = this.#services;
    return await this.#lock.runWithLock(key, { holder, signal: NEVER }, async () => {
      const run = waitingRun === undefined ? undefined : { owner: key.owner, id: waitingRun };
      const status = run && (await store.runs.get(run))?.status;
      if (run && status && status !== "ended") await runs.cancel(run);
      return await work();
    });
  }

  async #runLocked<Value>(
    { session: key, request: { chat } }: SessionTurn,
    signal: AbortSignal,
    work: (waitingRun: string | undefined, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const { sessions } = this.#services.store;
    // New sessions have the mode `agent` by default.
    if (!(await sessions.get(key))) await sessions.open(key, { mode: "agent" });
    return await this.#lock.runWithLock(key, { holder: chat.id, signal }, async (lockSignal) => {
      await this.#settle(key);
      return await work((await sessions.get(key))?.waitingRun, lockSignal);
    });
  }

  /** The request with the history, and the messages that are new to the session. */
  async #addHistory(
    key: OwnerKey,
    request: AgentRunRequest,
  ): Promise<{ readonly request: AgentRunRequest; readonly added: readonly Message[] }> {
    const { store, maxMessages } = this.#services;
    const { agent, mode } = request;
    const session = await store.sessions.open(key, { ...(agent !== undefined && { agent }), ...(mode && { mode }) });
    const stored = await store.sessions.messages(key, maxMessages);
    const added = selectNewMessages(request.chat.messages, stored);
    const { forgets } = resolveAgent(this.#services, request.chat.model, session.agent);
    const messages = forgets ? request.chat.messages : [...trimToLimit(stored, added.length, maxMessages), ...added];
    const untrusted = forgets ? undefined : session.untrusted;
    const inSession = { agent: session.agent, mode: session.mode, sessionId: session.id, untrusted };
    return { request: { ...request, chat: { ...request.chat, messages }, ...inSession }, added };
  }

  /** Stores a turn. A failed turn changes nothing, so that the client can send it again. */
  async #storeTurn(key: OwnerKey, added: readonly Message[], collected: Collected, run: string): Promise<void> {
    const { sessions } = this.#services.store;
    if (collected.failure || collected.outcome === "cancelled" || !collected.end) return;
    const { outcome, untrusted } = collected;
    if (outcome === "awaiting-human") await sessions.append(key, added, run, untrusted);
    else await sessions.append(key, [...added, ...answerMessages(collected, [])], undefined, untrusted);
  }

  async #answer({ session, request }: SessionTurn, id: string, reader: RunSubscriber): Promise<void> {
    const { messages, caller } = request.chat;
    const run = { owner: session.owner, id };
    const open = await this.#services.runs.open(run);
    const question = open.find(({ plan }) => !plan);
    const last = messages.at(-1);
    if (!question || last?.role !== "user") throw runWaits(run, open);
    const decision: Decision = { type: "answer", response: joinText(last.content) };
    await this.#services.runs.decide(session.owner, question.id, decision, caller);
    await this.#continueSession(session, id, reader);
  }

  async #continueSession(session: OwnerKey, id: string, reader: RunSubscriber): Promise<void> {
    await this.#services.runs.resume({ owner: session.owner, id }, reader);
    await this.#emitFailures(reader.onEvents, () => this.#settle(session));
  }

  /** Adds the answer of a finished run, for which the session waits, to the session. */
  async #settle(key: OwnerKey): Promise<void> {
    const { store, runs } = this.#services;
    const waitingRun = (await store.sessions.get(key))?.waitingRun;
    if (waitingRun === undefined) return;
    const run = { owner: key.owner, id: waitingRun };
    const record = await store.runs.get(run);
    if (record?.status === "running") throw createRunningError(run);
    if (record?.status === "waiting") {
      if ((await this.#services.runs.open(run)).length > 0) return;
      // The decisions have expired, or no client has resumed the run since.
      await runs.resume(run, { signal: NEVER, onEvents: () => undefined });
      if ((await store.runs.get(run))?.status === "waiting") return;
    }
    const collector = await collectRun(store.runs, run);
    const messages = answerMessages(collector, await store.interrupts.ofRun(run));
    await store.sessions.append(key, messages, undefined, collector.untrusted);
  }

  /** A failure to store an answer is emitted as a failure of the turn. */
  async #emitFailures(onEvents: EventSink<RunEvent>, storeResult: () => Promise<void>): Promise<void> {
    try {
      await storeResult();
    } catch (error) {
      if (!(error instanceof PostelError)) throw error;
      await onEvents([{ type: "turn-failed", failure: error.failure }]);
    }
  }
}

const NEVER = new AbortController().signal;
