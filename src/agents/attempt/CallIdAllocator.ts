// Allocates a unique id for each call of a conversation.

import type { Message } from "../../core/messages.ts";
import type { Ids } from "../../core/ports.ts";

/** Ids that all wires accept; another id would be refused when the client sends it back. */
const LEGAL = /^[\w.:-]{1,64}$/;

export class CallIdAllocator {
  readonly #ids: Pick<Ids, "callId">;
  readonly #before: Iterable<string>;
  #usedIds: Set<string> | undefined;

  constructor(ids: Pick<Ids, "callId">, usedIds: Iterable<string>) {
    this.#ids = ids;
    this.#before = usedIds;
  }

  /** Returns the upstream's id if it is legal and unused, else a generated one. */
  allocate(wireId: string | undefined): string {
    return this.allocateUnchanged(wireId !== undefined && LEGAL.test(wireId) ? wireId : undefined);
  }

  /** Returns the upstream's id if it is unused, whatever its form, else a generated one. */
  allocateUnchanged(wireId: string | undefined): string {
    this.#usedIds ??= new Set(this.#before);
    const id = wireId !== undefined && !this.#usedIds.has(wireId) ? wireId : this.#ids.callId();
    this.#usedIds.add(id);
    return id;
  }
}

/** All call ids, in order; an id may occur more than once. */
export function collectCallIds(messages: readonly Message[]): readonly string[] {
  const ids: string[] = [];
  for (const { toolCalls } of messages) {
    if (toolCalls) for (const { id } of toolCalls) ids.push(id);
  }
  return ids;
}
