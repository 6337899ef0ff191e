// Conversations that last: what was said before goes before what is new, and one turn is taken at a time. Knows no HTTP and no model.
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
import type { OwnerKey, RunRecord, SessionMode, SessionRecord, Store } from "../core/stores.ts";
import type { RunService, RunSubscriber } from "../runs/RunService.ts";
import { collectRun } from "./foldRun.ts";
import type { MemoryExtractor } from "./MemoryExtractor.ts";
import { SessionLock } from "./SessionLock.ts";
import { createNoTurnError, createUnknownSessionError, runGoesOn, runWaits } from "./sessionFailures.ts";
import { answerMessages, selectNewMessages, trimToLimit } from "./sessionMessages.ts";

export interface SessionServices {
  readonly store: Pick<Store, "sessions" | "runs" | "interrupts">;
  readonly runs: Pick<RunService, "ask" | "start" | "decide" | "decideAll" | "open" | "resume" | "cancel">;
  /** Absent where no agent remembers by itself. */
  readonly memoryExtractor?: Pick<MemoryExtractor, "keep"> | undefined;
  readonly agents: readonly AgentConfig[];
  readonly limits: Pick<LimitsConfig, "run">;
  readonly clock: AlarmClock;
  /** Messages that one request may have, those before it included. */
  readonly maxMessages: number;
}

/** One turn of a session. */
export interface SessionTurn {
  readonly session: OwnerKey;
  /** Its messages are what is new. */
  readonly request: AgentRunRequest;
}

/** What people say of what a run of a session asked. */
export interface SessionDecisions {
  readonly session: OwnerKey;
  readonly run: string;
  readonly given: readonly GivenDecision[];
  readonly by: Caller;
  /** The id of the request that brings them. */
  readonly holder: string;
}

/** What has left is told by the session; the model's thinking is not kept. */
const KEPT: CollectorOptions = { text: true, beside: 0, calls: true };

export class SessionService {
  readonly #services: SessionServices;
  readonly #hold: SessionLock;

  constructor(services: SessionServices) {
    this.#services = services;
    this.#hold = new SessionLock(services.store.sessions, services.clock);
  }

  /**
   * Takes a turn, whose answer is kept before its last event is told to be over. Where the session waits for an answer, the caller's
   * words are that answer.
   * @throws PostelError `session_busy`, `run_waiting` where something else than an answer is open, and what the store says.
   */
  async ask(turn: SessionTurn, reader: RunSubscriber): Promise<void> {
    const { signal, take } = reader;
    await this.#held(turn, signal, async (waitingRun, held) => {
      if (waitingRun !== undefined) {
        await this.#answer(turn, waitingRun, { ...reader, signal: held });
        return;
      }
      const { request, added } = await this.#withHistory(turn.session, turn.request);
      const said = new Collector(KEPT);
      const heard: EventSink<RunEvent> = (events) => {
        for (const event of events) said.add(event);
        return take(events);
      };
      await this.#services.runs.ask(request, { signal: held, take: heard, store: true });
      const value = said.value();
      await this.#telling(take, () => this.#keep(turn.session, added, value, request.chat.id));
      if (value.outcome !== "answered" || value.failure) return;
      const run = { owner: turn.session.owner, id: request.chat.id };
      if (!value.untrusted) this.#services.memoryExtractor?.keep({ run, request, added });
    });
  }

  /** Begins a turn that nobody waits for. @throws PostelError as `ask` does, and `run_waiting` where anything is open. */
  async start(turn: SessionTurn, signal: AbortSignal): Promise<RunRecord> {
    return await this.#held(turn, signal, async (waitingRun) => {
      if (waitingRun !== undefined) {
        const run = { owner: turn.session.owner, id: waitingRun };
        throw runWaits(run, await this.#services.runs.open(run));
      }
      const { request, added } = await this.#withHistory(turn.session, turn.request);
      const record = await this.#services.runs.start(request);
      await this.#services.store.sessions.append(turn.session, added, record.id);
      return record;
    });
  }

  /** Takes people's words on what a run of the session asked, all or none, and goes on with the run. @throws PostelError as `RunService.decide` does. */
  async decide({ session, run, given, by, holder }: SessionDecisions, reader: RunSubscriber): Promise<void> {
    await this.#hold.during(session, { holder, signal: reader.signal }, async (held) => {
      const { runs } = this.#services;
      if (given.length > 0) await runs.decideAll(session.owner, given, by);
      await this.#goOn(session, run, { ...reader, signal: held });
    });
  }

  /** @throws PostelError `session_not_found`. */
  async get(key: OwnerKey): Promise<SessionRecord> {
    const session = await this.#services.store.sessions.get(key);
    if (!session) throw createUnknownSessionError(key.id);
    return session;
  }

  /** Sets how the session is answered from now on; its history stays. @throws PostelError `session_not_found`, `session_busy`. */
  async setMode(key: OwnerKey, mode: SessionMode, holder: string): Promise<SessionRecord> {
    await this.get(key);
    return await this.#hold.during(key, { holder, signal: NEVER }, () =>
      this.#services.store.sessions.open(key, { mode }),
    );
  }

  /** With its messages; a run that waits is cancelled. @throws PostelError `session_not_found`, `session_busy`. */
  async delete(key: OwnerKey, holder: string): Promise<void> {
    await this.#afterTurns(key, holder, async () => {
      await this.#services.store.sessions.delete(key);
    });
  }

  /**
   * The session is as it was before its last turn, whose run is cancelled where it waits; what tools did in it stays done. Resolves with
   * what its caller said in it.
   * @throws PostelError `session_not_found`, `session_busy`, `invalid_request` where it has no turn.
   */
  async takeBack(key: OwnerKey, holder: string): Promise<Message> {
    const { store, maxMessages } = this.#services;
    // A gateway takes nothing back.
    const { readLastTurn } = await import("./lastTurn.ts");
    return await this.#afterTurns(key, holder, async () => {
      const turn = await readLastTurn(store, await this.get(key), maxMessages);
      if (!turn) throw createNoTurnError(key.id);
      await store.sessions.cut(key, turn.before);
      return turn.words;
    });
  }

  /** Does the work while no turn is taken, and none waits any more. */
  async #afterTurns<Value>(key: OwnerKey, holder: string, work: () => Promise<Value>): Promise<Value> {
    const { waitingRun } = await this.get(key);
    const { runs, store } = this.#services;
    return await this.#hold.during(key, { holder, signal: NEVER }, async () => {
      const run = waitingRun === undefined ? undefined : { owner: key.owner, id: waitingRun };
      const status = run && (await store.runs.get(run))?.status;
      if (run && status && status !== "ended") await runs.cancel(run);
      return await work();
    });
  }

  async #held<Value>(
    { session: key, request: { chat } }: SessionTurn,
    signal: AbortSignal,
    work: (waitingRun: string | undefined, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const { sessions } = this.#services.store;
    // Whoever asks an agent gets one, unless it says otherwise.
    if (!(await sessions.get(key))) await sessions.open(key, { mode: "agent" });
    return await this.#hold.during(key, { holder: chat.id, signal }, async (held) => {
      await this.#settle(key);
      return await work((await sessions.get(key))?.waitingRun, held);
    });
  }

  /** The request with what was said before, and what of it the session does not have yet. */
  async #withHistory(
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

  /** What a turn has added. One that failed leaves the session as it was: its caller sends the same again. */
  async #keep(key: OwnerKey, added: readonly Message[], said: Collected, run: string): Promise<void> {
    const { sessions } = this.#services.store;
    if (said.failure || said.outcome === "cancelled" || !said.end) return;
    const { outcome, untrusted } = said;
    if (outcome === "awaiting-human") await sessions.append(key, added, run, untrusted);
    else await sessions.append(key, [...added, ...answerMessages(said, [])], undefined, untrusted);
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
    await this.#goOn(session, id, reader);
  }

  async #goOn(session: OwnerKey, id: string, reader: RunSubscriber): Promise<void> {
    await this.#services.runs.resume({ owner: session.owner, id }, reader);
    await this.#telling(reader.take, () => this.#settle(session));
  }

  /** Once the run that the session waits for is over, its answer is one of the session's messages, wherever it was given. */
  async #settle(key: OwnerKey): Promise<void> {
    const { store, runs } = this.#services;
    const waitingRun = (await store.sessions.get(key))?.waitingRun;
    if (waitingRun === undefined) return;
    const run = { owner: key.owner, id: waitingRun };
    const record = await store.runs.get(run);
    if (record?.status === "running") throw runGoesOn(run);
    if (record?.status === "waiting") {
      if ((await this.#services.runs.open(run)).length > 0) return;
      // Nobody decided in time, or nobody has gone on with it since.
      await runs.resume(run, { signal: NEVER, take: () => undefined });
      if ((await store.runs.get(run))?.status === "waiting") return;
    }
    const said = await collectRun(store.runs, run);
    const messages = answerMessages(said, await store.interrupts.ofRun(run));
    await store.sessions.append(key, messages, undefined, said.untrusted);
  }

  /** An answer that could not be kept is a failure of its turn, and its reader is told so while it can be. */
  async #telling(take: EventSink<RunEvent>, keep: () => Promise<void>): Promise<void> {
    try {
      await keep();
    } catch (error) {
      if (!(error instanceof PostelError)) throw error;
      await take([{ type: "turn-failed", failure: error.failure }]);
    }
  }
}

const NEVER = new AbortController().signal;
