// Redacts the text of an answer as JSON, as a stream of JSON events, or as plain text.

import { redactJson } from "../../core/json/redactJson.ts";
import type { JsonValue } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import { StepRedactor, type Steps } from "./redactInSlices.ts";

/**
 * Returns `text` without secrets; unchanged if it has none. In a stream, the texts at one path of all events are read as one, since a model
 * writes a secret in many events. A secret that spans events then stands in the first. A long text is read in slices with turns of the event loop in between.
 */
export function* redactBody(text: string, redact: Redact): Steps<string> {
  const steps = new StepRedactor(redact);
  // Finally as plain text: JSON parsers hide the first value of a repeated key.
  return yield* steps.text(yield* redactStructure(text, { redact, steps }));
}

interface Redactor {
  readonly redact: Redact;
  readonly steps: StepRedactor;
}

function* redactStructure(text: string, redactor: Redactor): Steps<string> {
  try {
    return (yield* redactDocument(text, redactor.steps)) ?? (yield* redactEvents(text, redactor));
  } catch (error) {
    // Nested deeper than the stack allows. No model output is.
    if (error instanceof RangeError) return text;
    throw error;
  }
}

function* redactDocument(text: string, steps: StepRedactor): Steps<string | undefined> {
  const document = parse(text);
  if (document === undefined) return undefined;
  const redacted = yield* steps.value(document);
  return redacted === document ? text : JSON.stringify(redacted);
}

interface Event {
  /** Range of its line in the text. */
  readonly from: number;
  readonly to: number;
  /** `data: `, or nothing in a stream of bare JSON lines. */
  readonly before: string;
  readonly value: JsonValue;
  isChanged: boolean;
}

function* redactEvents(text: string, { redact, steps }: Redactor): Steps<string> {
  const events: Event[] = [];
  const location = new Place();
  for (const line of text.matchAll(LINE)) {
    yield* steps.spend(2 * line[0].length);
    const event = parseEvent(line[0], line.index);
    if (!event) continue;
    events.push(event);
    location.collect(event.value, event);
  }
  yield* location.redact({ redact, steps });
  const parts: string[] = [];
  let keptEntries = 0;
  for (const { from, to, before, value, isChanged } of events) {
    const isShort = to - from < SHORT;
    yield* steps.spend(isShort ? to - from : 0);
    const redacted = isShort ? redactJson(value, redact) : yield* steps.value(value);
    if (redacted === value && !isChanged) continue;
    parts.push(text.slice(keptEntries, from), before, JSON.stringify(redacted));
    keptEntries = to;
  }
  return keptEntries === 0 ? text : parts.join("") + text.slice(keptEntries);
}

const LINE = /[^\r\n]+/g;

/** Characters of an event that is redacted in one go. */
const SHORT = 16_384;

function parseEvent(line: string, from: number): Event | undefined {
  const before = /^(?:data:)?\s*(?=[[{])/.exec(line)?.[0];
  const value = before === undefined ? undefined : parse(line.slice(before.length));
  if (value === undefined || before === undefined) return undefined;
  return { from, to: from + line.length, before, value, isChanged: false };
}

type Holder = Record<string | number, JsonValue>;

interface Fragment {
  readonly text: string;
  put(text: string): void;
}

/** One place of all events, such as `choices[0].delta.content`, and the places below it. */
class Place {
  readonly #children = new Map<string, Place>();
  readonly #fragments: Fragment[] = [];

  /** Takes up the texts in `value`, which belongs to `event`. */
  collect(value: JsonValue, event: Event): void {
    if (value === null || typeof value !== "object") return;
    // From JSON.parse, so no other code uses it.
    const holder = value as Holder;
    for (const [key, item] of Object.entries(holder)) {
      const offset = this.#getChild(Array.isArray(value) ? getItemKey(item, key) : key);
      if (typeof item === "string") offset.#fragments.push({ text: item, put: writer(holder, key, event) });
      else offset.collect(item, event);
    }
  }

  *redact(redactor: Redactor): Steps<void> {
    const text = this.#fragments.map((fragment) => fragment.text).join("");
    const joined = yield* redactor.steps.text(text);
    if (joined !== text && joined !== (yield* this.#redactedEach(redactor))) {
      for (const [index, fragment] of this.#fragments.entries()) fragment.put(index === 0 ? joined : "");
    }
    for (const offset of this.#children.values()) yield* offset.redact(redactor);
  }

  *#redactedEach({ steps }: Redactor): Steps<string> {
    const texts: string[] = [];
    for (const { text } of this.#fragments) texts.push(yield* steps.text(text));
    return texts.join("");
  }

  #getChild(key: string): Place {
    const known = this.#children.get(key);
    if (known) return known;
    const offset = new Place();
    this.#children.set(key, offset);
    return offset;
  }
}

function writer(holder: Holder, key: string, event: Event): (text: string) => void {
  return (text) => {
    holder[key] = text;
    event.isChanged = true;
  };
}

/** Choices and calls of a stream carry their own index. */
function getItemKey(item: JsonValue, position: string): string {
  if (item === null || typeof item !== "object" || !("index" in item)) return position;
  return typeof item.index === "number" ? String(item.index) : position;
}

/** Returns undefined for text that is no JSON, and for a single string or number. */
function parse(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
