// Generates the table of request fields in docs/reference/http-api.md. The tests in test/integration/contract
// check the same data against servers.
import { readFileSync, writeFileSync } from "node:fs";
import { contractTable } from "../test/support/contract/table.ts";
import { replaceGenerated } from "./replaceGenerated.ts";

/** Returns `document` with a new table. @throws Error if the comments around the table are missing. */
export function withContractTable(document: string): string {
  return replaceGenerated(document, "scripts/generateContractTable.ts", contractTable());
}

if (import.meta.main) {
  const file = new URL("../docs/reference/http-api.md", import.meta.url);
  writeFileSync(file, withContractTable(readFileSync(file, "utf8")));
}
