// What is written of a turn some of whose calls are runs of their own: the runs within stand in the state of the run around them. Knows no store and no model.
import type { Interrupt } from "../core/interrupts.ts";
import type { ToolCall } from "../core/messages.ts";
import type { RunState, ToolResult } from "../core/run.ts";
import type { Journal } from "./Journal.ts";
import { idWithin } from "./nestedRequests.ts";

/** A run within, as it was written last, and its calls that were begun since. */
interface Within {
  readonly call: ToolCall;
  state?: RunState | undefined;
  begun: readonly string[];
  readonly done: Map<string, ToolResult>;
  waits?: { readonly state: RunState; readonly interrupts: readonly Interrupt[] } | undefined;
}

/** One state is kept of a run, with all that goes on in it: whoever writes writes all of it, one after another. */
export class NestedJournal {
  readonly #outer: Journal;
  readonly #begins: RunState;
  readonly #running: readonly string[];
  readonly #done = new Map<string, ToolResult>();
  readonly #within = new Map<string, Within>();
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param begins the run as it was written before these calls of its turn ran. */
  constructor(outer: Journal, begins: RunState, running: readonly string[]) {
    this.#outer = outer;
    this.#begins = begins;
    this.#running = running;
    for (const { call, state } of begins.open?.nested ?? [])
      this.#within.set(call.id, { call, state, begun: [], done: new Map() });
  }

  /** A call of the turn itself has its result. */
  settled(result: ToolResult): Promise<void> {
    return this.#inTurn(async () => {
      this.#done.set(result.callId, result);
      this.#within.delete(result.callId);
      await this.#outer.settled(this.#begins, result);
    });
  }

  /** The journal of the run that this call is. */
  of(call: ToolCall): Journal {
    const within = this.#within.get(call.id) ?? { call, begun: [], done: new Map<string, ToolResult>() };
    this.#within.set(call.id, within);
    const save = (): Promise<void> => this.#outer.begin(this.#state(), this.#begun());
    return {
      begin: (state, calls) =>
        this.#inTurn(() => {
          become(within, state, calls);
          return save();
        }),
      settled: (_state, result) =>
        this.#inTurn(async () => {
          within.done.set(result.callId, result);
          const callId = idWithin(call.id, result.callId);
          await this.#outer.settled(this.#begins, { ...result, callId });
        }),
      // Nobody is asked before the run around it waits too; until then it is as it was.
      waits: async (state, interrupts) => {
        within.waits = { state, interrupts };
      },
      turned: (state) =>
        this.#inTurn(() => {
          become(within, state, []);
          return save();
        }).catch(() => undefined),
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

  #state(): RunState {
    const nested = [...this.#within.values()].flatMap(({ call, state, done }) =>
      state ? [{ call, state: withDone(state, done) }] : [],
    );
    const { open, ...rest } = withDone(this.#begins, this.#done);
    return { ...rest, open: open && { ...open, nested } };
  }

  #begun(): readonly string[] {
    const within = [...this.#within.values()].flatMap(({ call, begun, done }) =>
      begun.filter((id) => !done.has(id)).map((id) => idWithin(call.id, id)),
    );
    return [...this.#running.filter((id) => !this.#done.has(id)), ...within];
  }
}

/** What was begun of the run within this call, by its own ids. */
export function begunWithin<Begun extends { readonly callId: string }>(
  call: ToolCall,
  begun: readonly Begun[] = [],
): readonly Begun[] {
  const head = idWithin(call.id, "");
  return begun
    .filter(({ callId }) => callId.startsWith(head))
    .map((one) => ({ ...one, callId: one.callId.slice(head.length) }));
}

function become(within: Within, state: RunState, begun: readonly string[]): void {
  within.state = state;
  within.begun = begun;
  within.done.clear();
}

/** The state in which these calls have their results. */
function withDone(state: RunState, done: ReadonlyMap<string, ToolResult>): RunState {
  const { open } = state;
  if (!open || done.size === 0) return state;
  const settled = open.execute.flatMap((call) => {
    const result = done.get(call.id);
    return result ? [{ call, result, ran: true }] : [];
  });
  const execute = open.execute.filter(({ id }) => !done.has(id));
  return { ...state, open: { ...open, execute, settled: [...open.settled, ...settled] } };
}
