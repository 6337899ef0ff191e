// Whether an upstream's fields beside its text show its reader something that is no text: a word of the answer too. Knows no other field.

import type { JsonValue } from "../messages.ts";
import type { Extra } from "./events.ts";

const SHOWN = ["audio", "images", "refusal"];

export function isVisibleExtra({ level, fields }: Extra): boolean {
  return level === "delta" && SHOWN.some((name) => says(fields[name]));
}

function says(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !Array.isArray(value) || value.length > 0;
}
