// The words of fitting: where a value stands, what is edited, why it does not fit. Decides nothing.
import type { JsonValue } from "../../core/messages.ts";
import type { JsonNode } from "../bodies/jsonSpans.ts";
import type { SchemaReader } from "./schemaTypes.ts";

/** Replaces `text.slice(start, end)`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Why a value does not fit. */
export interface Misfit {
  /** Where, from the arguments object down; empty for the object itself. */
  readonly path: readonly string[];
  /** What was expected and what was given: `must be integer, got the string "x"`. */
  readonly problem: string;
}

export type Fit =
  | { readonly type: "fits"; readonly edits: readonly Edit[]; readonly repairs: readonly string[] }
  | { readonly type: "misfit"; readonly misfits: readonly Misfit[] };

/** What stays the same while one text is fitted. */
export interface Fitting {
  readonly text: string;
  readonly reader: SchemaReader;
  /** Steps left for all of it; what a schema wants beyond them is not checked. */
  readonly budget: { steps: number };
  /** The tool asked for its schema to the letter (`strict: true`). */
  readonly strict: boolean;
  /** A number with a fraction passes where an integer is wanted. */
  readonly fractions: boolean;
  /** How many more times a value may be converted on the way down, strings inside strings included. */
  readonly conversions: number;
}

/** One value and what it has to fit. */
export interface Place {
  readonly node: JsonNode;
  readonly schema: JsonValue;
  readonly path: readonly string[];
}

export const fits: Fit = { type: "fits", edits: [], repairs: [] };

export function replaced(node: JsonNode, text: string, repairs: readonly string[]): Fit {
  return { type: "fits", edits: [{ start: node.start, end: node.end, text }], repairs };
}

export function misfit(place: Place, text: string, expected: string): Fit {
  return {
    type: "misfit",
    misfits: [{ path: place.path, problem: `${expected}, got ${describeValue(place.node, text)}` }],
  };
}

/** Characters of a refused value that a message repeats. */
const shownChars = 80;

function describeValue(node: JsonNode, text: string): string {
  const shown = text.slice(node.start, Math.min(node.end, node.start + shownChars));
  return node.kind === "null" ? "null" : `the ${node.kind} ${shown}${node.end - node.start > shownChars ? "…" : ""}`;
}

/** A text, or a stretch of it, with the edits inside it made; they do not overlap. */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  { start, end }: Omit<Edit, "text"> = { start: 0, end: text.length },
): string {
  const parts: string[] = [];
  let at = start;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at, end));
  return parts.join("");
}
