// Reads the words in which a model declines, from the field that its wire has for them.
import type { Extra } from "./events.ts";
import { mergeExtra } from "./providerFields.ts";

/** Returns `message.refusal` or the `delta.refusal` of the given fields; undefined where the model did not decline. */
export function findRefusal(extra: readonly Extra[] | undefined): string | undefined {
  if (!extra?.some(isRefusal)) return undefined;
  const { refusal } = mergeExtra(extra, "delta");
  return typeof refusal === "string" ? refusal : undefined;
}

/** Returns what an answer says to a reader who sees one text: its content, then its refusal. */
export function joinAnswerText({
  text,
  extra = [],
}: {
  readonly text: string;
  readonly extra?: readonly Extra[] | undefined;
}): string {
  const refusal = findRefusal(extra);
  if (refusal === undefined) return text;
  return text === "" ? refusal : `${text}\n\n${refusal}`;
}

/** Returns true for a field of a message in which the model declines. */
export function isRefusal({ level, fields }: Extra): boolean {
  return level === "delta" && typeof fields.refusal === "string" && fields.refusal !== "";
}
