// A run whose process dies at chosen points of its life, again and again, over one real store. Each process is simulated: after its death nothing of it has any effect.

import { AuditRecorder } from "../../../src/agents/audit/AuditRecorder.ts";
import { findAskingRun } from "../../../src/agents/nested/nestedRequests.ts";
import type { Journal } from "../../../src/agents/run/Journal.ts";
import type { AgentConfig } from "../../../src/core/config/configuration.ts";
import type { RunEvent } from "../../../src/core/events/events.ts";
import type { Decision, Interrupt } from "../../../src/core/runs/interrupts.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import type { ModelClient } from "../../../src/models/ModelClient.ts";
import { EventLog } from "../../../src/runs/EventLog.ts";
import { StoredJournal } from "../../../src/runs/StoredJournal.ts";
import { StoredAuditLog } from "../../../src/stores/audit/StoredAuditLog.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import type { Tool, ToolContext } from "../../../src/tools/Tool.ts";
import { chat, gateway, tool } from "../agents/gateway.ts";
import { ManualClock } from "../agents/ManualClock.ts";
import { STORE } from "../defaults.ts";

export interface CrashingLifeOptions {
  readonly agents: readonly AgentConfig[];
  readonly model: ModelClient;
  readonly tools: (life: CrashingLife) => readonly Tool[];
  /** At which of its points each process dies, the first process first; the one behind the last takes the run to its end. */
  readonly deaths: readonly number[];
}

/** Points are what happens in a process that another could see: a request, a write, a call's effect. */
interface Process {
  readonly number: number;
  readonly died: PromiseWithResolvers<"died">;
  points: number;
  dead: boolean;
}

const KEY = { owner: "local", id: "req1" };
const HOLDER = { holder: "p", ms: 1e12 };
/** Milliseconds after which a process is given up: each has only milliseconds of work. */
const HUNG_MS = 20_000;
/** Words of the result of a call whose outcome nobody knows. */
const UNKNOWN = "is not known";

export class CrashingLife {
  /** How often each thing was done. */
  readonly effects = new Map<string, number>();
  /** Arguments of the calls of which a person or the model was told that nobody knows their outcome. */
  readonly unknown = new Set<string>();
  outcome: string | undefined;
  /** Why the run failed, where it did. */
  failure: string | undefined;
  readonly #options: CrashingLifeOptions;
  readonly #decisions = new Map<string, Decision>();
  #process = newProcess(0);

  constructor(options: CrashingLifeOptions) {
    this.#options = options;
  }

  /** A tool whose effect is counted by its argument `n`. */
  doing(name: string, more: Partial<Tool> = {}): Tool {
    const process = this.#process;
    const plain = tool(name, async ({ n }, context: ToolContext) => {
      await this.#point(process);
      const what = `${name} ${String(n)}`;
      this.effects.set(what, (this.effects.get(what) ?? 0) + 1);
      await this.#point(process);
      if (context.signal.aborted) throw new Error("aborted");
      return `${what} is done.`;
    });
    return { ...plain, ...more };
  }

  /** The entries of the audit, once the run has ended. */
  async live(): Promise<Awaited<ReturnType<SqliteStore["audit"]["entries"]>>> {
    const store = await SqliteStore.open({ ...STORE, clock: new ManualClock() });
    try {
      await store.runs.create({ ...KEY, agent: "boss", background: true }, HOLDER);
      for (let waits = 0; this.outcome === undefined || this.outcome === "awaiting-human"; waits += 1) {
        if (waits > 30) throw new Error("The run does not come to an end.");
        await this.#live(store);
      }
      return await store.audit.entries(0, 10_000);
    } finally {
      await store.close();
    }
  }

  async #live(store: SqliteStore): Promise<void> {
    this.#process = newProcess(this.#process.number + 1);
    const stop = new AbortController();
    const hung = Promise.withResolvers<never>();
    const timer = setTimeout(() => hung.reject(new Error(`It hangs at point ${this.#process.points}.`)), HUNG_MS);
    const ended = await Promise.race([this.#go(store, stop.signal), this.#process.died.promise, hung.promise]);
    clearTimeout(timer);
    // Timers of what was under way end; nothing of it is heard any more.
    stop.abort();
    this.outcome = ended === "died" ? undefined : ended;
  }

  async #go(store: SqliteStore, signal: AbortSignal): Promise<string | undefined> {
    const process = this.#process;
    const { agents, model, tools } = this.#options;
    const observer = { observe: () => undefined };
    const trail = new StoredAuditLog(store.audit);
    const last = (await store.runs.get(KEY))?.events ?? 0;
    const auditing = {
      textPolicy: { arguments: "whole", results: "whole" },
      redact: (text: string) => text,
      observer,
    } as const;
    const auditRecorder = new AuditRecorder({
      trail: {
        record: (events) => this.#around(process, () => trail.record(events)),
        recordWithoutSync: (events) => this.#around(process, () => trail.recordWithoutSync(events)),
      },
      ...auditing,
    });
    // Decisions arrive by another process, which does not die.
    const approver = new AuditRecorder({ trail, ...auditing });
    const limits = { callsPerTurn: 64, parallelTools: 4 };
    const testGateway = gateway(
      {
        stream: async (request, heard, take) => {
          await this.#point(process);
          return model.stream(request, heard, take);
        },
      },
      {
        agents,
        limits,
        tools: tools(this),
        journal: this.#journal(store, { process, last, approver }),
        auditRecorder,
        drawn: process.number * 1_000,
      },
    );
    const saved = await store.runs.load(KEY);
    const events = saved
      ? testGateway.runner.proceed(saved.state, { begun: saved.calls, decisions: this.#decisions }, signal)
      : testGateway.runner.run({ chat: chat({ model: "boss" }) }, signal);
    let outcome: string | undefined;
    for await (const event of events) {
      // A dead process hears nothing.
      if (process.dead) return undefined;
      this.#hear(event);
      if (event.type === "run-end") outcome = event.outcome;
      if (event.type === "turn-failed") this.failure = event.failure.message;
    }
    return outcome ?? "failed";
  }

  #hear(event: RunEvent): void {
    if (event.type === "nested") this.#hear(event.event);
    if (event.type === "tool-result" && event.content.includes(UNKNOWN)) this.unknown.add(event.callId);
    if (event.type === "task-end" && event.content.includes(UNKNOWN)) this.unknown.add(event.name);
  }

  /** The approver approves every call, and rejects the repetition of a call whose outcome is unknown. */
  async #decide(state: RunState, interrupt: Interrupt, approver: AuditRecorder): Promise<void> {
    const { id, type, call, plan } = interrupt;
    if (type === "unknown-outcome") this.unknown.add(`${call.name} ${String(JSON.parse(call.arguments).n)}`);
    const decision = { type: type === "unknown-outcome" ? "reject" : "approve", plan: plan?.hash ?? "" } as const;
    const record = { ...interrupt, owner: KEY.owner, status: "open" } as const;
    await approver.recordDecision({
      state: findAskingRun(state, id) ?? state,
      interrupt: record,
      decision,
      decidedBy: "approver",
    });
    this.#decisions.set(id, decision);
  }

  /** @param last the number of the last event that is stored. */
  #journal(
    store: SqliteStore,
    { process, last, approver }: { readonly process: Process; readonly last: number; readonly approver: AuditRecorder },
  ): Journal {
    const clock = new ManualClock();
    const observer = { observe: () => undefined };
    const common = { runs: store.runs, key: KEY, holder: HOLDER.holder, observer };
    const journal = new StoredJournal({
      ...common,
      log: new EventLog({ ...common, clock, last, onStored: () => undefined }),
      notices: () => [],
      getEndReason: () => undefined,
      closing: () => undefined,
      onIdle: () => undefined,
    });
    return {
      begin: (...given) => this.#around(process, () => journal.begin(...given)),
      recordResult: (...given) => this.#around(process, () => journal.recordResult(...given)),
      recordTurn: (...given) => this.#around(process, () => journal.recordTurn(...given)),
      recordWaiting: (state: RunState, interrupts) =>
        this.#around(process, async () => {
          await journal.recordWaiting(state, interrupts);
          for (const interrupt of interrupts) await this.#decide(state, interrupt, approver);
        }),
    };
  }

  /** A write before and after which the process may die. */
  async #around(process: Process, write: () => Promise<void>): Promise<void> {
    await this.#point(process);
    await write();
    await this.#point(process);
  }

  async #point(process: Process): Promise<void> {
    process.points += 1;
    if (process.points === this.#options.deaths[process.number - 1]) {
      process.dead = true;
      process.died.resolve("died");
    }
    if (process.dead) await NEVER;
  }
}

const NEVER = new Promise<never>(() => undefined);

function newProcess(number: number): Process {
  return { number, died: Promise.withResolvers(), points: 0, dead: false };
}
