// Finds the text with which a model refuses to answer, in the wire's own field.
import type { Extra } from "./events.ts";
import { mergeExtra } from "./providerFields.ts";

/** Returns `message.refusal` or the `delta.refusal` of the given fields; undefined if the model did not refuse. */
export function findRefusal(extra: readonly Extra[] | undefined): string | undefined {
  if (!extra?.some(isRefusal)) return undefined;
  const { refusal } = mergeExtra(extra, "delta");
  return typeof refusal === "string" ? refusal : undefined;
}

/** Returns an answer as one text: its content, then its refusal. */
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

/** Returns true for a message field with a refusal of the model. */
export function isRefusal({ level, fields }: Extra): boolean {
  return level === "delta" && typeof fields.refusal === "string" && fields.refusal !== "";
}
