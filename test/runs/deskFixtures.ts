// Desks over one store, each a process of its own as far as the store can tell, with a runner whose steps the test writes.
import type { AgentRunRequest } from "../../src/agents/AgentRunRequest.ts";
import { decisionFault } from "../../src/agents/decisionFault.ts";
import type { Going } from "../../src/agents/Journal.ts";
import type { RunEvent } from "../../src/core/events.ts";
import { failure, PostelError } from "../../src/core/failures.ts";
import type { Interrupt } from "../../src/core/interrupts.ts";
import type { Egress, Observation } from "../../src/core/ports.ts";
import type { RunState } from "../../src/core/run.ts";
import type { OwnedKey, RunRecord, RunStore } from "../../src/core/stores.ts";
import type { Take } from "../../src/core/take.ts";
import { systemClock, systemIds } from "../../src/network/system.ts";
import { RunDesk, type RunDeskServices } from "../../src/runs/RunDesk.ts";
import { SqliteStore } from "../../src/stores/SqliteStore.ts";
import { chat, never } from "../agents/gateway.ts";
import { STORE } from "../support/defaults.ts";

const KEEP_MS = { sessions: 1e9, runs: 1e9, events: 1e9, memories: 1e9 };

export const OWNER = { owner: "ada" };
export const ADA = { name: "ada", can: ["ask", "decide"] } as const;

/** One step of a run: what happens between its plan, or where it went on, and its end. */
export type Play = (state: RunState, going: Going, signal: AbortSignal, take: Take<RunEvent>) => Promise<void>;

type DeskOptions = Pick<RunDeskServices, "leaseMs" | "backgroundAtOnce" | "webhooks" | "egress" | "witness">;

const NO_EGRESS: Egress = { send: () => Promise.reject(new Error("Nothing is to be sent.")) };

export interface DeskWorld {
  readonly store: SqliteStore;
  readonly observed: Observation[];
  /** A desk as another process has it. */
  desk(play: Play, options?: Partial<DeskOptions>): RunDesk;
  /** As a process that is stopped: nothing of what the desk wants of the store is done before it is woken. */
  freeze(desk: RunDesk): void;
  wake(desk: RunDesk): void;
  close(): Promise<void>;
}

export async function deskWorld(): Promise<DeskWorld> {
  const store = await SqliteStore.open({
    maxBytes: 100_000_000,
    most: STORE.most,
    keepMs: KEEP_MS,
    clock: systemClock,
  });
  const observed: Observation[] = [];
  const gates = new Map<RunDesk, Gate>();
  return {
    store,
    observed,
    desk(play, { leaseMs = 600, backgroundAtOnce = 4, webhooks = [], egress = NO_EGRESS, witness } = {}) {
      const gate = new Gate();
      const desk = new RunDesk({
        runner: {
          plan: async (request) => planned(request),
          proceed: play,
          decisionFault: (state, asked, decision) => decisionFault(state, asked, decision, undefined),
          renewedInterrupt: async () => undefined,
          run: (request, signal, take) => play(planned(request), { journal: never as never }, signal, take),
        },
        store: { runs: gate.before(store.runs), interrupts: store.interrupts, notices: store.notices },
        ...{ webhooks, egress, witness },
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
  if (asked.model === "unknown") throw new PostelError(failure("model_not_found", "No upstream serves it."));
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

export async function recordIs(desk: RunDesk, key: OwnedKey, is: (record: RunRecord) => boolean): Promise<RunRecord> {
  let found: RunRecord | undefined;
  await until(async () => {
    found = await desk.record(key).catch(() => undefined);
    return found !== undefined && is(found);
  });
  return found as RunRecord;
}

/** All that a desk tells of a run until it is over. */
export async function eventsOf(desk: RunDesk, key: OwnedKey, after = 0): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  await desk.events(key, after, never, (page) => {
    events.push(...page.map(({ event }) => event));
    return undefined;
  });
  return events;
}
