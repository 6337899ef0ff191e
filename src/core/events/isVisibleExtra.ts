// Detects upstream fields with visible content other than text.

import type { JsonValue } from "../messages.ts";
import type { Extra } from "./events.ts";

const VISIBLE_FIELDS = ["audio", "images", "refusal"];

export function isVisibleExtra({ level, fields }: Extra): boolean {
  return level === "delta" && VISIBLE_FIELDS.some((name) => hasValue(fields[name]));
}

function hasValue(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !Array.isArray(value) || value.length > 0;
}
