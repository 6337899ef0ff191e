// Large JSON texts and their bytes, written in slices with a turn of the event loop between them. Knows no wire.
import { loopTurn } from "./loopTurn.ts";
import type { JsonValue } from "./messages.ts";

/** Characters of a slice: some milliseconds of writing where each of them is escaped. */
const SLICE = 262_144;

/** `JSON.stringify`, which takes a tenth of a second for ten megabytes. Rejects with the signal's reason. */
export async function jsonInTurns(value: JsonValue, signal?: AbortSignal): Promise<string> {
  if (!isLong(value)) return JSON.stringify(value);
  const pieces: string[] = [];
  let held = 0;
  for (const piece of piecesOf(value)) {
    pieces.push(piece);
    held += piece.length;
    if (held < SLICE) continue;
    held = 0;
    await loopTurn(signal);
  }
  return pieces.join("");
}

/** The bytes of a text in UTF-8, in pieces. Throws the signal's reason. */
export async function* bytesInTurns(text: string, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  let first = true;
  for (const slice of slicesOf(text)) {
    if (!first) await loopTurn(signal);
    first = false;
    yield Buffer.from(slice);
  }
}

/** Whether a value's text is longer than a slice, give or take its punctuation; looks at no more of it than a slice. */
function isLong(value: JsonValue): boolean {
  let left = SLICE;
  const spend = (one: JsonValue | undefined): void => {
    if (left < 0) return;
    left -= typeof one === "string" ? one.length : 8;
    if (typeof one !== "object" || one === null) return;
    for (const key in one) {
      spend((one as Readonly<Record<string, JsonValue>>)[key]);
      left -= key.length;
      if (left < 0) return;
    }
  };
  spend(value);
  return left < 0;
}

function* piecesOf(value: JsonValue): Generator<string, void, undefined> {
  if (!isLong(value)) {
    yield JSON.stringify(value);
  } else if (typeof value === "string") {
    yield '"';
    for (const slice of slicesOf(value)) yield JSON.stringify(slice).slice(1, -1);
    yield '"';
  } else if (Array.isArray(value)) {
    yield* listed("[", value as readonly JsonValue[], "]");
  } else {
    const members = Object.entries(value as Readonly<Record<string, JsonValue | undefined>>);
    let before = "{";
    for (const [key, member] of members) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* piecesOf(member);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}

function* listed(open: string, items: readonly JsonValue[], close: string): Generator<string, void, undefined> {
  let before = open;
  for (const item of items) {
    yield before;
    yield* piecesOf(item ?? null);
    before = ",";
  }
  yield before === open ? `${open}${close}` : close;
}

/** Never between the two halves of a character. */
function* slicesOf(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const end = at + SLICE;
    const cut = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(at, cut);
    at = cut;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
