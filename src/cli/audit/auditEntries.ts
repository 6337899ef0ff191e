// Reads the audit entries of the store or of files, in slices.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { AuditEntry } from "../../core/audit/audit.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Store } from "../../core/stores/Store.ts";
import { parseEntryLine } from "../../stores/audit/entryLine.ts";
import { loadFlags, type StoreFlags } from "../options/loadFlags.ts";
import { openExistingStore } from "../options/openExistingStore.ts";
import { readLines } from "../output/readLines.ts";

const SLICE = 500;

/** Entries in order. The store is closed after the last entry, or when the caller stops. */
export async function* readStoredEntries(flags: StoreFlags, after = 0): AsyncGenerator<readonly AuditEntry[]> {
  const store = await openExistingStore(loadFlags(flags), flags);
  try {
    yield* readEntries(store, after);
  } finally {
    await store.close();
  }
}

/** The entries of an open store, in their order. */
export async function* readEntries({ audit }: Pick<Store, "audit">, after = 0): AsyncGenerator<readonly AuditEntry[]> {
  for (let last = after; ; ) {
    const entries = await audit.entries(last, SLICE);
    yield entries;
    if (entries.length < SLICE) return;
    last = entries.at(-1)?.seq ?? last;
  }
}

/** An entry, or the position of a line that is none. */
export type FiledEntry = AuditEntry | { readonly line: string };

/** Entries in file order. @throws PostelError `invalid_request` for a file that cannot be read. */
export async function* readFiledEntries(files: readonly string[]): AsyncGenerator<readonly FiledEntry[]> {
  for (const file of files) {
    let line = 0;
    await readable(file);
    for await (const lines of readLines(createReadStream(file))) {
      yield lines.map((text) => {
        line += 1;
        return parseEntryLine(text) ?? { line: `line ${line} of ${file}` };
      });
    }
  }
}

async function readable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return;
  const message = `The file ${file} cannot be read: it is ${found ? "no file" : "not there"}. Name a file of the audit, or an export.`;
  throw new PostelError(createFailure("invalid_request", message));
}
