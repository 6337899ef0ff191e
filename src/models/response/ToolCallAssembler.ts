// Assembles the fragments of native calls to complete calls. Does not repair JSON or check names.
import { takeLaterFields } from "../../core/events/providerFields.ts";
import type { JsonObject } from "../../core/messages.ts";
import { isJson } from "../looseJson.ts";
import { ArgumentBuffer } from "./ArgumentBuffer.ts";
import { type CallFragment, isOfAnotherCall } from "./callFragments.ts";

export interface AssembledCall {
  readonly index: number;
  readonly id?: string | undefined;
  /** Empty if the upstream sent none. */
  readonly name: string;
  /** The argument text as it arrived; empty if there was none. */
  readonly arguments: string;
  /** Other fields of the fragments. The last value of a repeated field counts. */
  readonly extra?: JsonObject | undefined;
}

interface Slot {
  readonly index: number;
  id?: string | undefined;
  name: string;
  /** Pieces that the name was joined from. */
  namePieces: number;
  readonly text: ArgumentBuffer;
  extra: JsonObject | undefined;
}

/** A name in more pieces than this is invalid, and no longer compared with earlier pieces. */
const MAX_NAME_PIECES = 64;

/**
 * Collects the fragments of one stream by index. Tolerated: every call under index 0 (a new id with a name, or another name after the
 * arguments began, is a new call), ids repeated or created anew on every fragment, names after arguments, names in pieces or repeated
 * completely, index jumps, arguments as growing snapshots or repeated completely at the end.
 */
export class ToolCallAssembler {
  readonly #latest = new Map<number, Slot>();
  readonly #slots: Slot[] = [];

  /** Returns the previous call if this fragment begins another and the arguments of the previous are complete. */
  add(fragment: CallFragment): AssembledCall | undefined {
    const last = this.#slots.at(-1);
    const slot = this.#slotOf(fragment);
    const before = last && last !== this.#slots.at(-1) ? last : undefined;
    slot.id ??= fragment.id;
    if (fragment.name !== undefined) addName(slot, fragment.name);
    if (fragment.extra) slot.extra = takeLaterFields(slot.extra, fragment.extra);
    if (fragment.arguments !== undefined) slot.text.add(fragment.arguments);
    if (!before) return undefined;
    const call = assembled(before);
    return isJson(call.arguments) ? call : undefined;
  }

  /** Returns the calls by index, those of one index in order of their start. For the end of the stream only. */
  finish(): readonly AssembledCall[] {
    return [...this.calls()];
  }

  /** As `finish`, one at a time: to put one together costs its length. */
  *calls(): Generator<AssembledCall, void, undefined> {
    for (const slot of this.#slots.toSorted((a, b) => a.index - b.index)) yield assembled(slot);
  }

  #slotOf(fragment: CallFragment): Slot {
    const current = this.#latest.get(fragment.index);
    if (current && !beginsAnother(current, fragment)) return current;
    const text = new ArgumentBuffer();
    const slot: Slot = { index: fragment.index, name: "", namePieces: 0, text, extra: undefined };
    this.#latest.set(fragment.index, slot);
    this.#slots.push(slot);
    return slot;
  }
}

function assembled({ index, id, name, text, extra }: Slot): AssembledCall {
  return { index, id, name, arguments: text.read(), ...(extra && { extra }) };
}

function beginsAnother({ id, name, text }: Slot, fragment: CallFragment): boolean {
  if (isOfAnotherCall({ id, name, hasStarted: text.hasStarted }, fragment)) return true;
  const hasRepeatedId = id !== undefined && fragment.id !== undefined;
  if (fragment.name !== name || hasRepeatedId || !text.hasStarted) return false;
  // The same name without an id: only a second complete object proves a second call.
  const next = fragment.arguments;
  return next?.trimStart().startsWith("{") === true && text.isWhole && !text.equals(next);
}

/** A name arrives complete, complete again, as a growing snapshot, or (before any arguments) in pieces. */
function addName(slot: Slot, name: string): void {
  if (slot.namePieces > MAX_NAME_PIECES) {
    if (!slot.text.hasStarted) slot.name += name;
  } else if (name.startsWith(slot.name)) {
    slot.name = name;
  } else if (!slot.text.hasStarted && !slot.name.startsWith(name)) {
    slot.name += name;
    slot.namePieces += 1;
  }
}
