// Desks over one store, each a process of its own as far as the store can tell, with a runner whose steps the test writes.
import type { AgentRunRequest } from "../../../src/agents/AgentRunRequest.ts";
import { validateDecision } from "../../../src/agents/approvals/validateDecision.ts";
import type { RunContinuation } from "../../../src/agents/run/Journal.ts";
import type { EventSink } from "../../../src/core/events/EventSink.ts";
import type { RunEvent } from "../../../src/core/events/events.ts";
import { createFailure, PostelError } from "../../../src/core/failures.ts";
import type { Egress, Observation } from "../../../src/core/ports.ts";
import type { Interrupt } from "../../../src/core/runs/interrupts.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import type { OwnerKey, RunRecord, RunStore } from "../../../src/core/stores.ts";
import { systemClock, systemIds } from "../../../src/network/system.ts";
import { RunService, type RunServiceOptions } from "../../../src/runs/RunService.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { chat, never } from "../agents/gateway.ts";
import { STORE } from "../defaults.ts";

const KEEP_MS = { sessions: 1e9, runs: 1e9, events: 1e9, memories: 1e9 };

export const OWNER = { owner: "ada" };
export const ADA = { name: "ada", can: ["ask", "decide"] } as const;

/** One step of a run: what happens between its plan, or where it went on, and its end. */
export type Play = (
  state: RunState,
  going: RunContinuation,
  signal: AbortSignal,
  take: EventSink<RunEvent>,
) => Promise<void>;

type DeskOptions = Pick<RunServiceOptions, "leaseMs" | "backgroundAtOnce" | "webhooks" | "egress" | "auditRecorder">;

const NO_EGRESS: Egress = { send: () => Promise.reject(new Error("Nothing is to be sent.")) };

export interface DeskWorld {
  readonly store: SqliteStore;
  readonly observed: Observation[];
  /** A desk as another process has it. */
  desk(play: Play, options?: Partial<DeskOptions>): RunService;
  /** As a process that is stopped: nothing of what the desk wants of the store is done before it is woken. */
  freeze(desk: RunService): void;
  wake(desk: RunService): void;
  close(): Promise<void>;
}

export async function deskWorld(): Promise<DeskWorld> {
  const store = await SqliteStore.open({
    maxBytes: 100_000_000,
    retentionMax: STORE.retentionMax,
    keepMs: KEEP_MS,
    clock: systemClock,
  });
  const observed: Observation[] = [];
  const gates = new Map<RunService, Gate>();
  return {
    store,
    observed,
    desk(play, { leaseMs = 600, backgroundAtOnce = 4, webhooks = [], egress = NO_EGRESS, auditRecorder } = {}) {
      const gate = new Gate();
      const desk = new RunService({
        runner: {
          plan: async (request) => planned(request),
          proceed: play,
          decisionFault: (state, asked, decision) => validateDecision(state, asked, decision, undefined),
          renewedInterrupt: async () => undefined,
          run: (request, signal, take) => play(planned(request), { journal: never as never }, signal, take),
        },
        store: { runs: gate.before(store.runs), interrupts: store.interrupts, notices: store.notices },
        ...{ webhooks, egress, auditRecorder },
        ...{ clock: systemClock, ids: systemIds, leaseMs, backgroundAtOnce },
        observer: { observe: (observation) => void observed.push(observation) },
      });
      gates.set(desk, gate);
      return desk;
    },
    freeze: (desk) => gates.get(desk)?.close(),
    wake: (desk) => gates.get(desk)?.open(),
    close: async () => {
      for (const gate of gates.values()) gate.open();
      await Promise.all([...gates.keys()].map((desk) => desk.stop()));
      await store.close();
    },
  };
}

class Gate {
  #opened: PromiseWithResolvers<void> | undefined;

  close(): void {
    this.#opened ??= Promise.withResolvers();
  }

  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  before(runs: RunStore): RunStore {
    const get =
      (_: RunStore, name: keyof RunStore) =>
      async (...given: never[]) => {
        await this.#opened?.promise;
        return (runs[name] as (...given: never[]) => Promise<unknown>)(...given);
      };
    return new Proxy(runs, { get } as ProxyHandler<RunStore>);
  }
}

export function request(id: string, more: Partial<AgentRunRequest> = {}): AgentRunRequest {
  return { chat: chat({ id, caller: ADA }), interactive: true, ...more };
}

function planned({ chat: asked, interactive }: AgentRunRequest): RunState {
  if (asked.model === "unknown") throw new PostelError(createFailure("model_not_found", "No upstream serves it."));
  return {
    ...{ id: asked.id, agent: "default", interactive, request: asked, gatewayTools: ["pay"], maxTurns: 5 },
    ...{ messages: asked.messages, turn: 0, tokens: 0, executed: [], sentText: false },
  };
}

export const ANSWERED = { type: "run-end", outcome: "answered", turns: 1 } as const;

export function interrupt(run: string, id: string, more: Partial<Interrupt> = {}): Interrupt {
  const call = { id: `call-${id}`, name: "pay", arguments: "{}", origin: "native", repairs: [], raw: "" } as const;
  const now = Date.now();
  return { id, run, type: "clarify", call, question: "Which?", createdAt: now, expiresAt: now + 60_000, ...more };
}

export async function until(what: () => Promise<boolean> | boolean, ms = 10_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await what())) {
    if (Date.now() > end) throw new Error("It did not come true in time.");
    await systemClock.sleep(10, never);
  }
}

export async function recordIs(
  desk: RunService,
  key: OwnerKey,
  is: (record: RunRecord) => boolean,
): Promise<RunRecord> {
  let found: RunRecord | undefined;
  await until(async () => {
    found = await desk.record(key).catch(() => undefined);
    return found !== undefined && is(found);
  });
  return found as RunRecord;
}

/** All that a desk tells of a run until it is over. */
export async function eventsOf(desk: RunService, key: OwnerKey, after = 0): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  await desk.events(key, after, never, (page) => {
    events.push(...page.map(({ event }) => event));
    return undefined;
  });
  return events;
}
