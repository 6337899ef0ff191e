// Makes the parser of one model call: an answer that is bound to a form has one of its own. Reads nothing.
import type { OutputFormat } from "../core/requests.ts";
import { BoundOutputParser } from "./BoundOutputParser.ts";
import { MultiFormatOutputParser, type Slice } from "./MultiFormatOutputParser.ts";
import { parserOptions, type TextReading } from "./parserOptions.ts";
import type { ReleasedCandidate } from "./turn/ParserEvent.ts";

/** As `MultiFormatOutputParser`, which it is where the answer is bound to no form. */
export interface OutputParser {
  readonly released: readonly ReleasedCandidate[];
  feedSlice(text: string): Slice;
  /** To be called where the slice before said `more`. */
  nextSlice(): Slice;
  finishSlice(finishReason: string | null): Slice;
}

export function createOutputParser(reading: TextReading, output: OutputFormat): OutputParser {
  const options = parserOptions(reading);
  return output.type === "text" ? new MultiFormatOutputParser(options) : new BoundOutputParser(options, output);
}
