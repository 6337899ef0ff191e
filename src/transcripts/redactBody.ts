// An answer's text without its secrets, as JSON, as a stream of JSON events, or as it stands. Which texts are secret the injected Redact knows.
import type { JsonValue } from "../core/messages.ts";
import type { Redact } from "../core/ports.ts";
import { redactJson } from "../core/redactJson.ts";

/**
 * What of `text` may be written. In a stream the texts at one place of all events are read as one, since a model writes a secret in
 * many of them; what is cut over several then stands in the first. A text without secrets comes back as it is.
 */
export function redactBody(text: string, redact: Redact): string {
  // At last as it stands: a key that is given twice hides its first value from whoever reads JSON.
  return redact(redactStructure(text, redact));
}

function redactStructure(text: string, redact: Redact): string {
  try {
    return redactDocument(text, redact) ?? redactEvents(text, redact);
  } catch (error) {
    // Nested deeper than the stack: nothing that a model says is.
    if (error instanceof RangeError) return text;
    throw error;
  }
}

function redactDocument(text: string, redact: Redact): string | undefined {
  const document = parse(text);
  if (document === undefined) return undefined;
  const redacted = redactJson(document, redact);
  return redacted === document ? text : JSON.stringify(redacted);
}

interface Event {
  readonly line: number;
  /** `data: `, or nothing in a stream of bare JSON lines. */
  readonly before: string;
  readonly value: JsonValue;
  changed: boolean;
}

function redactEvents(text: string, redact: Redact): string {
  const lines = text.split(/(\r\n|\r|\n)/);
  const events = lines.flatMap((line, index) => eventIn(line, index));
  const places = new Place();
  for (const event of events) places.collect(event.value, event);
  places.redact(redact);
  for (const event of events) {
    const redacted = redactJson(event.value, redact);
    if (redacted !== event.value || event.changed) lines[event.line] = event.before + JSON.stringify(redacted);
  }
  return lines.join("");
}

function eventIn(text: string, line: number): readonly Event[] {
  const before = /^(?:data:)?\s*(?=[[{])/.exec(text)?.[0];
  const value = before === undefined ? undefined : parse(text.slice(before.length));
  return value === undefined || before === undefined ? [] : [{ line, before, value, changed: false }];
}

type Holder = Record<string | number, JsonValue>;

interface Fragment {
  readonly text: string;
  put(text: string): void;
}

/** One place of all events, such as `choices[0].delta.content`, and the places below it. */
class Place {
  readonly #below = new Map<string, Place>();
  readonly #fragments: Fragment[] = [];

  /** Takes up the texts in `value`, which belongs to `event`. */
  collect(value: JsonValue, event: Event): void {
    if (value === null || typeof value !== "object") return;
    // From JSON.parse, so it is nobody else's.
    const holder = value as Holder;
    for (const [key, item] of Object.entries(holder)) {
      const place = this.#at(Array.isArray(value) ? indexOf(item, key) : key);
      if (typeof item === "string") place.#fragments.push({ text: item, put: writer(holder, key, event) });
      else place.collect(item, event);
    }
  }

  redact(redact: Redact): void {
    const texts = this.#fragments.map(({ text }) => text);
    const joined = redact(texts.join(""));
    if (joined !== texts.join("") && joined !== texts.map(redact).join("")) {
      for (const [index, fragment] of this.#fragments.entries()) fragment.put(index === 0 ? joined : "");
    }
    for (const place of this.#below.values()) place.redact(redact);
  }

  #at(key: string): Place {
    const known = this.#below.get(key);
    if (known) return known;
    const place = new Place();
    this.#below.set(key, place);
    return place;
  }
}

function writer(holder: Holder, key: string, event: Event): (text: string) => void {
  return (text) => {
    holder[key] = text;
    event.changed = true;
  };
}

/** Choices and calls of a stream say themselves which one they belong to. */
function indexOf(item: JsonValue, position: string): string {
  if (item === null || typeof item !== "object" || !("index" in item)) return position;
  return typeof item.index === "number" ? String(item.index) : position;
}

/** Undefined for what is no JSON, and for a text or a number alone. */
function parse(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
