// The parser of one model call, and the one place where its options are put together: of what is known of the model, what it was asked, and
// what its prompt says. Reads nothing.
import type { ModelCapabilities } from "../core/models/capabilities.ts";
import type { OutputFormat } from "../core/requests.ts";
import { MultiFormatOutputParser } from "./MultiFormatOutputParser.ts";
import { StructuredOutputParser } from "./StructuredOutputParser.ts";
import type { ParserOptions } from "./state/ParserEvent.ts";

/** A `MultiFormatOutputParser`, or the parser of an answer that is bound to a form. */
export type OutputParser = Pick<
  MultiFormatOutputParser,
  "released" | "passes" | "feedSlice" | "nextSlice" | "finishSlice"
>;

export function createOutputParser(reading: TextReading, output: OutputFormat): OutputParser {
  const options = createParserOptions(reading);
  return output.type === "text" ? new MultiFormatOutputParser(options) : new StructuredOutputParser(options, output);
}

/** What a model's text is read by. */
export interface TextReading
  extends Pick<
    ParserOptions,
    "tools" | "callsAllowed" | "toolMode" | "heldToCall" | "reasoningOpened" | "ids" | "captureChars"
  > {
  /** What the model's row says of how its text is read. Without `emulate` nothing is known of the form that a prompt named. */
  readonly model: Pick<ModelCapabilities, "formats" | "wire" | "reasoning"> & {
    readonly emulate?: ModelCapabilities["emulate"] | undefined;
    readonly fractions?: ModelCapabilities["fractions"] | undefined;
  };
}

export function createParserOptions({ model, ...reading }: TextReading): ParserOptions {
  const { formats, wire, reasoning } = model;
  const emulate = reading.toolMode === "text" ? model.emulate : undefined;
  return { ...reading, formats, wire, reasoning, emulate, fractions: passesFractions(model) };
}

/** Whether a number with a fraction may stand for an `integer`. */
export function passesFractions({ fractions }: TextReading["model"]): boolean {
  return fractions === "pass";
}
