// Detects upstream fields with visible content other than text.

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
