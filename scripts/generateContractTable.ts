// Writes the contract's table into docs/reference/http-api.md: what the cells state, which test/integration/contract holds against servers. Judges nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { contractTable } from "../test/support/contract/table.ts";

const BEGIN = "<!-- The table is generated: node scripts/generateContractTable.ts -->";
const END = "<!-- End of the generated table. -->";

/** The document with its table written anew. @throws Error where the two marks are missing. */
export function withContractTable(document: string): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The document lacks the marks of its table: ${BEGIN} and ${END}`);
  return `${document.slice(0, from + BEGIN.length)}\n\n${contractTable()}\n\n${document.slice(to)}`;
}

if (import.meta.main) {
  const file = new URL("../docs/reference/http-api.md", import.meta.url);
  writeFileSync(file, withContractTable(readFileSync(file, "utf8")));
}
