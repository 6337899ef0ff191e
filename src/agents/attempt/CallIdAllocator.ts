// Gives each call of a conversation an id of its own. Knows nothing else of calls.

import type { Message } from "../../core/messages.ts";
import type { Ids } from "../../core/ports.ts";

/** What the wires accept as an id; an id of another form would be refused when the client sends it back. */
const LEGAL = /^[\w.:-]{1,64}$/;

export class CallIdAllocator {
  readonly #ids: Pick<Ids, "callId">;
  readonly #before: Iterable<string>;
  #used: Set<string> | undefined;

  constructor(ids: Pick<Ids, "callId">, used: Iterable<string>) {
    this.#ids = ids;
    this.#before = used;
  }

  /** Returns the upstream's id if it is legal and new, else a drawn one. */
  take(wire: string | undefined): string {
    return this.takeAsItCame(wire !== undefined && LEGAL.test(wire) ? wire : undefined);
  }

  /** Returns the upstream's id if it is new, whatever its form, else a drawn one. */
  takeAsItCame(wire: string | undefined): string {
    this.#used ??= new Set(this.#before);
    const id = wire !== undefined && !this.#used.has(wire) ? wire : this.#ids.callId();
    this.#used.add(id);
    return id;
  }
}

/** Every id, in order; an id may occur more than once. */
export function collectCallIds(messages: readonly Message[]): readonly string[] {
  const ids: string[] = [];
  for (const { toolCalls } of messages) {
    if (toolCalls) for (const { id } of toolCalls) ids.push(id);
  }
  return ids;
}
