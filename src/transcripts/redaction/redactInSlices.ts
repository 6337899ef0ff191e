// Redacts long texts and large JSON values in slices, with turns of the event loop in between.
import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import { redactJson } from "../../core/json/redactJson.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";

export type Steps<T> = Generator<typeof YIELD, T>;

/** Characters that are redacted in one go: some five milliseconds. */
const PIECE = 131_072;
/** Maximum length of a secret across a cut: five thousand characters, six characters each. */
const REACH = 32_768;
/** Places that are tried for a cut, and the characters between them: a prime, since repeated texts repeat at rounder numbers. */
const TRIES = 16;
const BETWEEN_TRIES = 997;
/** Cost of a value in addition to its characters. */
const VALUE = 16;

export class StepRedactor {
  readonly #redact: Redact;
  readonly #pace = new YieldBudget(PIECE);

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** As `Redact`: a long text is cut where both halves come to what they come to together. */
  *text(text: string): Steps<string> {
    const parts: string[] = [];
    let at = 0;
    while (text.length - at > PIECE + REACH) {
      const to = yield* this.#findCut(text, at + PIECE);
      if (this.#pace.isDue(to - at)) yield YIELD;
      parts.push(this.#redact(text.slice(at, to)));
      at = to;
    }
    if (this.#pace.isDue(text.length - at)) yield YIELD;
    parts.push(this.#redact(text.slice(at)));
    return parts.join("");
  }

  /** As `redactJson`. */
  *value(value: JsonValue): Steps<JsonValue> {
    if (typeof value === "string" && value.length > VALUE) return yield* this.text(value);
    if (this.#pace.isDue(VALUE)) yield YIELD;
    if (value === null || typeof value !== "object") return redactJson(value, this.#redact);
    if (Array.isArray(value)) return yield* this.#list(value);
    return yield* this.#object(value as JsonObject);
  }

  /** To be asked before other work, in characters that are redacted. */
  *spend(characters: number): Steps<void> {
    if (this.#pace.isDue(characters)) yield YIELD;
  }

  *#list(items: readonly JsonValue[]): Steps<JsonValue> {
    const redacted: JsonValue[] = [];
    let same = true;
    for (const item of items) {
      const one = yield* this.value(item);
      same &&= one === item;
      redacted.push(one);
    }
    return same ? items : redacted;
  }

  *#object(object: JsonObject): Steps<JsonValue> {
    const redacted: [string, JsonValue][] = [];
    let same = true;
    for (const [key, item] of Object.entries(object)) {
      const entry: [string, JsonValue] = [yield* this.text(key), yield* this.value(item ?? null)];
      same &&= entry[0] === key && entry[1] === item;
      redacted.push(entry);
    }
    return same ? object : Object.fromEntries(redacted);
  }

  /** A place from `at` on that no secret spans, so far as it may reach; where none is found soon, a piece further on. */
  *#findCut(text: string, at: number): Steps<number> {
    for (let offset = at, tries = 1; offset < text.length; offset += BETWEEN_TRIES, tries += 1) {
      if (this.#pace.isDue(4 * REACH)) yield YIELD;
      const before = text.slice(offset - REACH, offset);
      const following = text.slice(offset, offset + REACH);
      if (this.#redact(before + following) === this.#redact(before) + this.#redact(following)) return offset;
      if (tries % TRIES === 0) offset += PIECE;
    }
    return text.length;
  }
}
