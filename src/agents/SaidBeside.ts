// What a model said beside its text and its calls, as its message in a history has it. Knows no field but those that nobody needs back.
import { ExtraFold } from "../core/ExtraFold.ts";
import type { Extra } from "../core/events.ts";
import { foreignFields, mergeExtra } from "../core/foreignFields.ts";
import { sizeOf } from "../core/jsonInTurns.ts";
import type { JsonValue, Message } from "../core/messages.ts";

/** What an upstream says for whoever reads its answer; none needs it back, and some refuse it in a history. */
const FOR_READERS = new Set(["annotations", "audio", "images", "refusal"]);

/** What of it is an answer without a word. */
const SHOWN = ["audio", "images", "refusal"];

/** Collects it. */
export class SaidBeside {
  /** True where an upstream gave its reader something that is no text. */
  showed = false;
  readonly #most: number;
  #reasoning = "";
  readonly #extra = new ExtraFold();
  #chars = 0;

  /** @param most characters that are kept; of more nothing is, for half a thought is none. 0: nobody needs it back. */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  addReasoning(text: string): void {
    if (this.#keeps(() => text.length)) this.#reasoning += text;
  }

  addExtra(extra: readonly Extra[] = []): void {
    for (const one of extra) {
      if (one.level !== "delta") continue;
      this.showed ||= SHOWN.some((name) => says(one.fields[name]));
      if (this.#keeps(() => sizeOf(one.fields, this.#most))) this.#extra.add([one]);
    }
  }

  /** What was said beside an attempt that was made again is not said beside its calls. */
  forgetExtra(): void {
    this.showed = false;
    this.#extra.clear();
  }

  message(): Pick<Message, "reasoning" | "extra"> {
    const fields = foreignFields(mergeExtra(this.#extra.all, "delta"), FOR_READERS);
    return { ...(this.#reasoning !== "" && { reasoning: this.#reasoning }), ...(fields && { extra: fields }) };
  }

  #keeps(length: () => number): boolean {
    if (this.#most === Number.POSITIVE_INFINITY) return true;
    if (this.#chars > this.#most) return false;
    this.#chars += length();
    if (this.#chars <= this.#most) return true;
    this.#reasoning = "";
    this.#extra.clear();
    return false;
  }
}

function says(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !Array.isArray(value) || value.length > 0;
}
