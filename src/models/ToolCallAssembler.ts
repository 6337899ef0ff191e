// Call fragments of a native stream as whole calls, once for everybody. Repairs no JSON and judges no name.
import type { ModelEvent } from "../core/events.ts";
import { laterFields } from "../core/foreignFields.ts";
import type { JsonObject } from "../core/messages.ts";

export type CallFragment = Extract<ModelEvent, { type: "call-fragment" }>;

export interface AssembledCall {
  readonly index: number;
  readonly id?: string | undefined;
  /** Empty where the upstream never said one. */
  readonly name: string;
  /** The argument text as it came; empty where none did. */
  readonly arguments: string;
  /** What its fragments said beside this; of a member that came twice the later word. */
  readonly extra?: JsonObject | undefined;
}

interface Slot {
  readonly index: number;
  id?: string | undefined;
  name: string;
  readonly pieces: string[];
  /** True once an arguments field came, even an empty one. */
  begun: boolean;
  extra: JsonObject | undefined;
}

/**
 * Keeps the fragments of one stream by index. Tolerated: every call under index 0 (a new id with a name, or another name
 * after the arguments began, is a new call), ids repeated or made anew on every fragment, names after arguments, in pieces
 * or repeated whole, index jumps, arguments sent as growing snapshots or once more whole at the end.
 */
export class ToolCallAssembler {
  readonly #latest = new Map<number, Slot>();
  readonly #slots: Slot[] = [];

  /** Returns the call that was begun last, where this fragment begins another and that one's arguments are whole. */
  add(fragment: CallFragment): AssembledCall | undefined {
    const last = this.#slots.at(-1);
    const slot = this.#slotOf(fragment);
    const before = last && last !== this.#slots.at(-1) ? assembled(last) : undefined;
    slot.id ??= fragment.id;
    if (fragment.name !== undefined) slot.name = joinName(slot, fragment.name);
    slot.extra = laterFields(slot.extra, fragment.extra);
    if (fragment.arguments !== undefined) {
      slot.begun = true;
      if (fragment.arguments !== "") slot.pieces.push(fragment.arguments);
    }
    return before && isJson(before.arguments) ? before : undefined;
  }

  /** The calls by index, those of one index in the order in which they began. For the end of the stream only. */
  finish(): readonly AssembledCall[] {
    return this.#slots.toSorted((a, b) => a.index - b.index).map(assembled);
  }

  #slotOf(fragment: CallFragment): Slot {
    const current = this.#latest.get(fragment.index);
    if (current && !beginsAnother(current, fragment)) return current;
    const slot: Slot = { index: fragment.index, name: "", pieces: [], begun: false, extra: undefined };
    this.#latest.set(fragment.index, slot);
    this.#slots.push(slot);
    return slot;
  }
}

function assembled({ index, id, name, pieces, extra }: Slot): AssembledCall {
  return { index, id, name, arguments: joinArguments(pieces), ...(extra && { extra }) };
}

function beginsAnother(current: Slot, { id, name, arguments: text }: CallFragment): boolean {
  if (name === undefined || current.name === "") return false;
  if (id !== undefined && current.id !== undefined) return id !== current.id;
  if (!current.begun) return false;
  if (name !== current.name) return true;
  // The same name without an id to tell by: only a second whole object proves a second call.
  if (!text?.trimStart().startsWith("{")) return false;
  const before = joinArguments(current.pieces);
  return text !== before && isJson(before);
}

/** A name comes whole, whole again, as a growing snapshot, or (before any arguments) in pieces. */
function joinName(slot: Slot, name: string): string {
  if (name.startsWith(slot.name)) return name;
  return slot.begun || slot.name.startsWith(name) ? slot.name : slot.name + name;
}

/** Pieces in a row, unless only another reading gives JSON: a whole text repeated at the end, or snapshots that grow. */
function joinArguments(pieces: readonly string[]): string {
  const joined = pieces.join("");
  const last = pieces.at(-1) ?? "";
  if (pieces.length < 2 || isJson(joined)) return joined;
  if (pieces.slice(0, -1).join("") === last) return last;
  const snapshots = pieces.every((piece, at) => at === 0 || piece.startsWith(pieces[at - 1] ?? ""));
  return snapshots && isJson(last) ? last : joined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
