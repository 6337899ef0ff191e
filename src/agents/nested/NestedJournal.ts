// What is written of a turn some of whose calls are runs of their own: the runs within stand in the state of the run around them. Knows no store and no model.

import type { ToolCall } from "../../core/messages.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState, ToolResult } from "../../core/runs/RunState.ts";
import type { JournaledCall } from "../../core/stores.ts";
import type { Journal } from "../run/Journal.ts";
import { joinCallId } from "./nestedRequests.ts";

/** A run within, as it was written last. */
interface Within {
  readonly call: ToolCall;
  state?: RunState | undefined;
  waits?: { readonly state: RunState; readonly interrupts: readonly Interrupt[] } | undefined;
}

/** A call that began: its result once it has one; `runs` while this process runs it. */
interface BegunCall {
  readonly runs: boolean;
  readonly result?: ToolResult | undefined;
}

/** The turn around the runs within, as it is written before its calls run. */
export interface OuterTurn {
  readonly begins: RunState;
  /** Ids of the calls that are about to run. */
  readonly running: readonly string[];
  /** Calls that began before and do not run now; those of runs within by their paths. */
  readonly carried: readonly JournaledCall[];
}

/** One state is kept of a run, with all that goes on in it: whoever writes writes all of it, one after another. */
export class NestedJournal {
  readonly #outer: Journal;
  readonly #begins: RunState;
  /** By the path of the call: its id, behind those of the calls that it runs within. */
  readonly #begun = new Map<string, BegunCall>();
  readonly #within = new Map<string, Within>();
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(outer: Journal, { begins, running, carried }: OuterTurn) {
    this.#outer = outer;
    this.#begins = begins;
    for (const { callId, result } of carried) this.#begun.set(callId, { runs: false, result });
    for (const id of running) this.#begun.set(id, { runs: true });
    for (const { call, state } of begins.open?.nested ?? []) this.#within.set(call.id, { call, state });
  }

  /** A call of the turn itself has its result. */
  settled(result: ToolResult): Promise<void> {
    return this.#inTurn(async () => {
      this.#replaceWithin(result.callId, []);
      this.#within.delete(result.callId);
      await this.#settle(result);
    });
  }

  /** The journal of the run that this call is. */
  of(call: ToolCall): Journal {
    const within: Within = this.#within.get(call.id) ?? { call };
    this.#within.set(call.id, within);
    const save = (state: RunState, begun: readonly (readonly [string, BegunCall])[]): Promise<void> => {
      within.state = state;
      this.#replaceWithin(call.id, [...this.#tasksWithin(call, state), ...begun]);
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
      settled: (_state, result) =>
        this.#inTurn(() => this.#settle({ ...result, callId: joinCallId(call.id, result.callId) })),
      // Nobody is asked before the run around it waits too; until then it is as it was.
      waits: async (state, interrupts) => {
        within.waits = { state, interrupts };
      },
      turned: (state) => this.#inTurn(() => save(state, [])).catch(() => undefined),
    };
  }

  /** What the run of this call waits for; undefined where it does not. */
  waiting(call: ToolCall): Within["waits"] {
    return this.#within.get(call.id)?.waits;
  }

  /** From now on nothing more is written: a run within that was broken off may still be on its way. */
  close(): void {
    this.#closed = true;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => (this.#closed ? undefined : work()));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #settle(result: ToolResult): Promise<void> {
    this.#begun.set(result.callId, { runs: false, result });
    await this.#outer.settled(this.#begins, result);
  }

  #save(): Promise<void> {
    const nested = [...this.#within.values()].flatMap(({ call, state }) => (state ? [{ call, state }] : []));
    const { open } = this.#begins;
    const state = { ...this.#begins, open: open && { ...open, nested } };
    const begun = [...this.#begun];
    return this.#outer.begin(
      state,
      begun.flatMap(([path, { runs }]) => (runs ? [path] : [])),
      begun.flatMap(([callId, { runs, result }]) => (runs ? [] : [{ callId, ...(result && { result }) }])),
    );
  }

  /** The calls that began within this one are these, by their own ids. */
  #replaceWithin(id: string, begun: readonly (readonly [string, BegunCall])[]): void {
    const head = joinCallId(id, "");
    for (const path of this.#begun.keys()) if (path.startsWith(head)) this.#begun.delete(path);
    for (const [own, one] of begun) this.#begun.set(`${head}${own}`, one);
  }

  /** A task has no outcome in the state while it goes on: what is known of it stands here alone. */
  #tasksWithin(call: ToolCall, { tasks = [] }: RunState): readonly (readonly [string, BegunCall])[] {
    return tasks.flatMap(({ call: { id }, outcome }) => {
      const begun = outcome ? undefined : this.#begun.get(joinCallId(call.id, id));
      return begun ? [[id, begun] as const] : [];
    });
  }
}

/** What was begun of the run within this call, by its own ids. */
export function collectNestedBegunCalls(
  call: ToolCall,
  begun: readonly JournaledCall[] = [],
): readonly JournaledCall[] {
  const head = joinCallId(call.id, "");
  return begun
    .filter(({ callId }) => callId.startsWith(head))
    .map(({ callId: path, result }) => {
      const callId = path.slice(head.length);
      return { callId, ...(result && { result: { ...result, callId } }) };
    });
}
