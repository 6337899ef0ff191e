// The one place where the gateway makes a parser of a model's text: of what is known of the model, what it was asked, and what its prompt says. Reads nothing.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { OutputFormat } from "../core/requests.ts";
import { BoundOutputParser } from "./BoundOutputParser.ts";
import { MultiFormatOutputParser, type Slice } from "./MultiFormatOutputParser.ts";
import type { ParserOptions, ReleasedCandidate } from "./turn/ParserEvent.ts";

/** What a model's text is read by. */
export interface TextReading
  extends Pick<
    ParserOptions,
    "tools" | "callsAllowed" | "toolMode" | "emulate" | "heldToCall" | "reasoningOpened" | "ids" | "captureChars"
  > {
  /** What the model's row says of how its text is read, whichever way it is asked. */
  readonly model: Pick<ModelCapabilities, "formats" | "wire" | "reasoning" | "fractions">;
  /** The form that the answer is bound to, if any. */
  readonly output: OutputFormat;
}

/** As `MultiFormatOutputParser`, which it is where the answer is bound to no form. */
export interface OutputParser {
  readonly released: readonly ReleasedCandidate[];
  feedSlices(text: string): Iterable<Slice>;
  finishSlices(finishReason: string | null): Iterable<Slice>;
}

export function createOutputParser({ model, output, ...reading }: TextReading): OutputParser {
  const { formats, wire, reasoning } = model;
  const options = { ...reading, formats, wire, reasoning, fractions: passesFractions(model) };
  return output.type === "text" ? new MultiFormatOutputParser(options) : new BoundOutputParser(options, output);
}

/** Whether a number with a fraction may stand for an `integer`. */
export function passesFractions({ fractions }: Pick<ModelCapabilities, "fractions">): boolean {
  return fractions === "pass";
}
