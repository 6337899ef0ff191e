// Journals a turn with nested runs: their states are stored in the state of the outer run.

import type { ToolCall } from "../../core/messages.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState, ToolResult } from "../../core/runs/RunState.ts";
import type { JournaledCall } from "../../core/stores/RunStore.ts";
import type { Journal } from "../run/Journal.ts";
import { joinCallId } from "./nestedRequests.ts";

/** A nested run, as it was last stored. */
interface Within {
  readonly call: ToolCall;
  state?: RunState | undefined;
  waits?: { readonly state: RunState; readonly interrupts: readonly Interrupt[] } | undefined;
}

/** A call that began. `runs` is true while this process runs it; the result is absent until it ends. */
interface BegunCall {
  readonly runs: boolean;
  readonly result?: ToolResult | undefined;
}

/** The outer turn, as it is stored before its calls run. */
export interface OuterTurn {
  readonly begins: RunState;
  /** Ids of the calls that are about to run. */
  readonly running: readonly string[];
  /** Calls that began before and do not run now; those of nested runs by their paths. */
  readonly carried: readonly JournaledCall[];
}

/** A run has one stored state with all its nested runs. Each write stores all of it, and writes are serialised. */
export class NestedJournal {
  readonly #outer: Journal;
  readonly #begins: RunState;
  /** Keyed by call path: the ids of the enclosing calls, then its own. */
  readonly #startedCalls = new Map<string, BegunCall>();
  readonly #within = new Map<string, Within>();
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(outer: Journal, { begins, running, carried }: OuterTurn) {
    this.#outer = outer;
    this.#begins = begins;
    for (const { callId, result } of carried) this.#startedCalls.set(callId, { runs: false, result });
    for (const id of running) this.#startedCalls.set(id, { runs: true });
    for (const { call, state } of begins.open?.nested ?? []) this.#within.set(call.id, { call, state });
  }

  /** Records the result of a call of the outer turn. */
  recordResult(result: ToolResult): Promise<void> {
    return this.#inTurn(async () => {
      this.#replaceNested(result.callId, []);
      this.#within.delete(result.callId);
      await this.#settle(result);
    });
  }

  /** The journal of the nested run of this call. */
  createJournal(call: ToolCall): Journal {
    const within: Within = this.#within.get(call.id) ?? { call };
    this.#within.set(call.id, within);
    const save = (state: RunState, startedCalls: readonly (readonly [string, BegunCall])[]): Promise<void> => {
      within.state = state;
      this.#replaceNested(call.id, [...this.#listNestedTasks(call, state), ...startedCalls]);
      return this.#save();
    };
    return {
      begin: (state, calls, carried) =>
        this.#inTurn(() =>
          save(state, [
            ...carried.map(({ callId, result }) => [callId, { runs: false, result }] as const),
            ...calls.map((id) => [id, { runs: true }] as const),
          ]),
        ),
      recordResult: (_state, result) =>
        this.#inTurn(() => this.#settle({ ...result, callId: joinCallId(call.id, result.callId) })),
      // The interrupts are stored when the outer run waits too; until then the stored state does not change.
      recordWaiting: async (state, interrupts) => {
        within.waits = { state, interrupts };
      },
      recordTurn: (state) => this.#inTurn(() => save(state, [])).catch(() => undefined),
    };
  }

  /** State and interrupts if the nested run of this call waits; otherwise undefined. */
  waiting(call: ToolCall): Within["waits"] {
    return this.#within.get(call.id)?.waits;
  }

  /** Stops all writing, because an aborted nested run may still try to write. */
  close(): void {
    this.#isClosed = true;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => (this.#isClosed ? undefined : work()));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #settle(result: ToolResult): Promise<void> {
    this.#startedCalls.set(result.callId, { runs: false, result });
    await this.#outer.recordResult(this.#begins, result);
  }

  #save(): Promise<void> {
    const nested = [...this.#within.values()].flatMap(({ call, state }) => (state ? [{ call, state }] : []));
    const { open } = this.#begins;
    const state = { ...this.#begins, open: open && { ...open, nested } };
    const begun = [...this.#startedCalls];
    return this.#outer.begin(
      state,
      begun.flatMap(([path, { runs }]) => (runs ? [path] : [])),
      begun.flatMap(([callId, { runs, result }]) => (runs ? [] : [{ callId, ...(result && { result }) }])),
    );
  }

  /** Replaces the begun calls nested in this call. `begun` uses their own ids. */
  #replaceNested(id: string, startedCalls: readonly (readonly [string, BegunCall])[]): void {
    const head = joinCallId(id, "");
    for (const path of this.#startedCalls.keys()) if (path.startsWith(head)) this.#startedCalls.delete(path);
    for (const [ownId, one] of startedCalls) this.#startedCalls.set(`${head}${ownId}`, one);
  }

  /** A running task has no outcome in the state, so its begun call is stored here. */
  #listNestedTasks(call: ToolCall, { tasks = [] }: RunState): readonly (readonly [string, BegunCall])[] {
    return tasks.flatMap(({ call: { id }, outcome }) => {
      const begun = outcome ? undefined : this.#startedCalls.get(joinCallId(call.id, id));
      return begun ? [[id, begun] as const] : [];
    });
  }
}

/** The begun calls of the nested run of this call, by their own ids. */
export function collectNestedBegunCalls(
  call: ToolCall,
  startedCalls: readonly JournaledCall[] = [],
): readonly JournaledCall[] {
  const head = joinCallId(call.id, "");
  return startedCalls
    .filter(({ callId }) => callId.startsWith(head))
    .map(({ callId: path, result }) => {
      const callId = path.slice(head.length);
      return { callId, ...(result && { result: { ...result, callId } }) };
    });
}
