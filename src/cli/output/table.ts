// Renders entries for a human reader: in columns, or as one block per entry if the terminal is too narrow.
import truncatedWidth from "fast-string-truncated-width";
import { sliceBefore } from "./format.ts";
import { sanitizeLine } from "./terminal.ts";

export interface Table {
  readonly heads: readonly string[];
  /** Each entry has as many cells as there are heads; the first is its name, and the last are the least important. */
  readonly rows: readonly (readonly string[])[];
}

const GAP = "  ";
/** No column is cut to less. Cells of the terminal. */
const NARROWEST = 16;
/** With fewer columns, blocks are more readable. */
const FEWEST = 3;

/**
 * Lines of the table, with control characters escaped. @param width in cells, of which a wide character takes two; undefined:
 * unlimited, nothing is shortened. The first cell of an entry is never shortened.
 */
export function renderTable({ heads, rows }: Table, width: number | undefined): string {
  const lines = [heads, ...rows].map((row) => row.map(sanitizeLine));
  const widest = heads.map((_, column) => lines.reduce((limit, row) => Math.max(limit, cells(row[column] ?? "")), 0));
  const widths = width === undefined ? widest : fitted(widest, width);
  const drawn = widths
    ? lines.map((row) => inColumns(row, widths))
    : lines.slice(1).map((row, index) => `${index === 0 ? "" : "\n"}${block(heads, row, width)}`);
  return drawn.join("");
}

/** One line for each present fact, with aligned values; values are never shortened. */
export function renderFacts(facts: readonly Fact[]): string {
  const width = facts.reduce((limit, [name]) => Math.max(limit, cells(name)), 0);
  return facts
    .filter(([, value]) => value !== undefined)
    .map(([name, value = ""]) => `${padded(sanitizeLine(name), width)}${GAP}${sanitizeLine(value)}\n`)
    .join("");
}

export type Fact = readonly [name: string, value: string | undefined];

/** Width of standard output in cells; undefined if it is no terminal. */
export function getTerminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}

/** Narrows the widest columns except the first, then drops the last ones; undefined if that leaves too few. */
function fitted(widest: readonly number[], width: number): readonly number[] | undefined {
  for (let columns = widest.length; columns >= Math.min(FEWEST, widest.length); columns -= 1) {
    const widths = capped(widest.slice(0, columns), width);
    if (widths) return widths;
  }
  return undefined;
}

function capped([first = 0, ...others]: readonly number[], width: number): readonly number[] | undefined {
  const freeColumns = width - first - GAP.length * others.length;
  const limit = others.reduce((one, other) => Math.max(one, other), 0);
  for (let cap = Math.min(limit, freeColumns); cap >= Math.min(limit, NARROWEST); cap -= 1) {
    const widths = others.map((one) => Math.min(one, cap));
    if (widths.reduce((sum, one) => sum + one, 0) <= freeColumns) return [first, ...widths];
  }
  return undefined;
}

function inColumns(row: readonly string[], widths: readonly number[]): string {
  const argumentText = widths.map((width, column) => padded(row[column] ?? "", width));
  return `${argumentText.join(GAP).trimEnd()}\n`;
}

function block(
  heads: readonly string[],
  [name = "", ...row]: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string {
  const [, ...named] = heads;
  const head = named.reduce((widest, cell) => Math.max(widest, cells(cell)), 0);
  const lines = row.flatMap((cell, column) =>
    cell === ""
      ? []
      : `${GAP}${padded(named[column] ?? "", head)}${GAP}${shortened(cell, width - head - 2 * GAP.length)}\n`,
  );
  return `${name}\n${lines.join("")}`;
}

function padded(cell: string, width: number): string {
  const argumentText = shortened(cell, width);
  return `${argumentText}${" ".repeat(Math.max(0, width - cells(argumentText)))}`;
}

function shortened(cell: string, width: number): string {
  const { index, ellipsed } = truncatedWidth(cell, { limit: Math.max(1, width), ellipsis: ELLIPSIS });
  return ellipsed ? `${sliceBefore(cell, index)}${ELLIPSIS}` : cell;
}

const ELLIPSIS = "…";

function cells(text: string): number {
  return truncatedWidth(text).width;
}
