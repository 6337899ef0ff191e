// Creates the parser of one model call and resolves its options from the model, the request and the prompt.
import type { ModelCapabilities } from "../core/models/capabilities.ts";
import type { OutputFormat } from "../core/requests.ts";
import { MultiFormatOutputParser } from "./MultiFormatOutputParser.ts";
import { StructuredOutputParser } from "./StructuredOutputParser.ts";
import type { ParserOptions } from "./state/ParserEvent.ts";

/** A `MultiFormatOutputParser`, or the parser of an answer that is bound to a form. */
export type OutputParser = Pick<
  MultiFormatOutputParser,
  "released" | "isPlainText" | "feedSlice" | "nextSlice" | "finishSlice"
>;

export function createOutputParser(reading: TextReading, output: OutputFormat): OutputParser {
  const options = createParserOptions(reading);
  return output.type === "text" ? new MultiFormatOutputParser(options) : new StructuredOutputParser(options, output);
}

/** Options for reading the text of a model. */
export interface TextReading
  extends Pick<
    ParserOptions,
    "tools" | "callsAllowed" | "toolMode" | "heldToCall" | "reasoningOpened" | "ids" | "captureChars"
  > {
  /** Parsing settings of the model's profile. Without `emulate`, the form that the prompt named is unknown. */
  readonly model: Pick<ModelCapabilities, "formats" | "wire" | "reasoning"> & {
    readonly emulate?: ModelCapabilities["emulate"] | undefined;
    readonly fractions?: ModelCapabilities["fractions"] | undefined;
  };
}

export function createParserOptions({ model, ...reading }: TextReading): ParserOptions {
  const { formats, wire, reasoning } = model;
  const emulate = reading.toolMode === "text" ? model.emulate : undefined;
  return { ...reading, formats, wire, reasoning, emulate, fractions: allowsFractions(model) };
}

/** Returns true if an `integer` may be a number with a fraction. */
export function allowsFractions({ fractions }: TextReading["model"]): boolean {
  return fractions === "pass";
}
