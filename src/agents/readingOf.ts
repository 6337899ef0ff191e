// What a model's row says of how its text is read: the same for every way of asking it.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { ParserOptions } from "../formats/turn/ParserEvent.ts";

export function readingOf({
  formats,
  wire,
  reasoning,
  fractions,
}: ModelCapabilities): Pick<ParserOptions, "formats" | "wire" | "reasoning" | "fractions"> {
  return { formats, wire, reasoning, fractions: fractions === "pass" };
}
