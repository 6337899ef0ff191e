// The hostile payloads by id, their repetitions written out.
import { readFileSync } from "node:fs";

interface Row {
  readonly category: string;
  readonly id: string;
  readonly input: string;
}

const ROWS: readonly Row[] = readFileSync(new URL("../../fixtures/adversarial/payloads.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

/** The payload of a row as the system gets it; `@@PORT@@` becomes `port`. */
export function payload(id: string, port = 0): string {
  const row = ROWS.find((one) => one.id === id);
  if (!row) throw new Error(`There is no payload ${id}.`);
  return repeat(row.input.replaceAll("@@PORT@@", String(port)));
}

/** The ids of the given categories, in order: what a table of tests must cover. */
export function idsOf(...categories: readonly string[]): readonly string[] {
  return ROWS.filter((row) => categories.includes(row.category)).map((row) => row.id);
}

/** `@@REP(3,ab)@@` → `ababab`; the repeated text may hold brackets. */
function repeat(input: string): string {
  return input
    .split("@@REP(")
    .map((part, index) => {
      if (index === 0) return part;
      const end = part.indexOf(")@@");
      const comma = part.indexOf(",");
      return part.slice(comma + 1, end).repeat(Number(part.slice(0, comma))) + part.slice(end + ")@@".length);
    })
    .join("");
}
