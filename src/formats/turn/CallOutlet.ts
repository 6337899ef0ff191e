// The way by which calls leave: each with an id of its own, and those without marks not before it is plain that none with marks says the same.
// Knows no text but theirs.
import type { ToolCall } from "../../core/messages.ts";
import type { Ids } from "../../core/ports.ts";
import type { TextSink } from "./TextSink.ts";
import { WaitingCalls } from "./WaitingCalls.ts";

/** A candidate that fits, before it has its id. */
export interface FittedCall extends Omit<ToolCall, "id"> {
  readonly id?: string | undefined;
}

export class CallOutlet {
  /** Calls that left or wait. */
  count = 0;
  readonly #sink: TextSink;
  readonly #ids: Pick<Ids, "callId">;
  readonly #used = new Set<string>();
  /** Calls without marks that what follows may say again, and where they stood. */
  #waiting: { readonly calls: WaitingCalls<FittedCall>; readonly raw: string; readonly at: number } | undefined;

  constructor(sink: TextSink, ids: Pick<Ids, "callId">) {
    this.#sink = sink;
    this.#ids = ids;
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** A call whose raw text starts at `at`. */
  send(call: FittedCall, at: number): void {
    const isWaiting = this.#waiting?.calls.take(call) === true;
    if (!isWaiting) this.count += 1;
    if (!isWaiting || this.#waiting?.calls.isEmpty) this.leave();
    this.#sink.call(this.#withId(call), at);
  }

  /** Keeps the place of calls that wait for what follows. */
  defer(calls: readonly FittedCall[], raw: string, at: number): void {
    this.leave();
    this.count += calls.length;
    this.#sink.defer();
    this.#waiting = { calls: new WaitingCalls(calls), raw, at };
  }

  /** Lets the calls that wait leave: what follows them is something else. */
  leave(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const { calls, raw, at } = waiting;
    this.#waiting = undefined;
    const left = calls.rest().map((call, index) => this.#withId({ ...call, raw: index === 0 ? raw : "" }));
    if (left.length > 0) this.#sink.settle(left.map((call) => ({ type: "call", at, call })));
    else this.#sink.settle([{ type: "dropped", at, raw, why: "preview" }]);
  }

  /** The wire's id if it is legal and new, else one that is drawn. */
  #withId(call: FittedCall): ToolCall {
    const { id: wireId } = call;
    const legal = wireId !== undefined && /^[\w.:-]{1,64}$/.test(wireId) && !this.#used.has(wireId);
    if (!legal) return { ...call, id: this.#ids.callId() };
    this.#used.add(wireId);
    return { ...call, id: wireId };
  }
}
