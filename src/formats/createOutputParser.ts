// Makes the parser of one model call: an answer that is bound to a form has one of its own. Reads nothing.
import type { OutputFormat } from "../core/requests.ts";
import { BoundOutputParser } from "./BoundOutputParser.ts";
import { MultiFormatOutputParser } from "./MultiFormatOutputParser.ts";
import { parserOptions, type TextReading } from "./parserOptions.ts";

/** A `MultiFormatOutputParser`, or the parser of an answer that is bound to a form. */
export type OutputParser = Pick<MultiFormatOutputParser, "released" | "feedSlice" | "nextSlice" | "finishSlice">;

export function createOutputParser(reading: TextReading, output: OutputFormat): OutputParser {
  const options = parserOptions(reading);
  return output.type === "text" ? new MultiFormatOutputParser(options) : new BoundOutputParser(options, output);
}
