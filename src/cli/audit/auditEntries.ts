// The entries that a command is asked about: of the store, or of files, a slice at a time. Knows no chain.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { AuditEntry } from "../../core/audit.ts";
import { failure, PostelError } from "../../core/failures.ts";
import type { Store } from "../../core/stores.ts";
import { entryOfLine } from "../../stores/audit/entryLine.ts";
import { loadFlags, type StoreFlags } from "../configuration.ts";
import { openKept } from "../keptStore.ts";
import { readLines } from "../readLines.ts";

const SLICE = 500;

/** In their order. The store is closed when the last was read, or nobody reads on. */
export async function* storedEntries(flags: StoreFlags, after = 0): AsyncGenerator<readonly AuditEntry[]> {
  const store = await openKept(loadFlags(flags), flags);
  try {
    yield* entriesOf(store, after);
  } finally {
    await store.close();
  }
}

/** The entries of an open store, in their order. */
export async function* entriesOf({ audit }: Pick<Store, "audit">, after = 0): AsyncGenerator<readonly AuditEntry[]> {
  for (let last = after; ; ) {
    const entries = await audit.entries(last, SLICE);
    yield entries;
    if (entries.length < SLICE) return;
    last = entries.at(-1)?.seq ?? last;
  }
}

/** An entry, or the place of a line that is none. */
export type FiledEntry = AuditEntry | { readonly line: string };

/** In the order in which they stand. @throws PostelError `invalid_request` for a file that cannot be read. */
export async function* filedEntries(files: readonly string[]): AsyncGenerator<readonly FiledEntry[]> {
  for (const file of files) {
    let line = 0;
    await readable(file);
    for await (const lines of readLines(createReadStream(file))) {
      yield lines.map((text) => {
        line += 1;
        return entryOfLine(text) ?? { line: `line ${line} of ${file}` };
      });
    }
  }
}

async function readable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return;
  const message = `The file ${file} cannot be read: it is ${found ? "no file" : "not there"}. Name a file of the audit, or an export.`;
  throw new PostelError(failure("invalid_request", message));
}
