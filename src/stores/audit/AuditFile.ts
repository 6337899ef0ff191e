// Appends the audit entries to a file, one line each. The file has the entries of the store in the same order and nothing
// else.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { AuditEntry, AuditMirror, AuditStore } from "../../core/audit/audit.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { formatEntryLine, parseEntryLine } from "./entryLine.ts";

/** Longer than any line of a gateway. Bytes. */
const LONGEST_LINE = 8_388_608;
const STEP = 65_536;
const LINE_FEED = 10;

export class AuditFile {
  readonly #path: string;
  readonly #store: Pick<AuditStore, "copy">;

  /** @param path absolute */
  constructor(path: string, store: Pick<AuditStore, "copy">) {
    this.#path = path;
    this.#store = store;
  }

  /**
   * Appends the entries that the file lacks; a new file starts where the previous one ended. @param isSynced on the disk
   * before it resolves @throws PostelError `store_unavailable` if that fails, or if the file was changed by others.
   */
  copyNewEntries(isSynced: boolean): Promise<void> {
    return this.#store.copy(this.#path, async (copy) => {
      try {
        return await this.#append(copy, isSynced);
      } catch (error) {
        if (error instanceof PostelError) throw error;
        throw this.#createError(`cannot be written (${(error as Error).message})`, { cause: error });
      }
    });
  }

  async #append(copy: AuditMirror, isSynced: boolean): Promise<number> {
    const { O_APPEND, O_CREAT, O_RDWR } = constants;
    const file = await open(this.#path, O_APPEND | O_CREAT | O_RDWR, 0o600);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw this.#createError("is no file");
      const { line, partialLine } = await readLastLine(file, stat.size);
      let last = line === undefined ? (copy.copiedSeq ?? copy.head) : await this.#findLastCopied(line, copy);
      for (let partial = partialLine; ; partial = NOTHING) {
        const entries = await copy.readNext(last);
        const text = Buffer.from(entries.map(formatEntryLine).join(""));
        // A line that a process left half written must be the beginning of the next entry.
        if (!text.subarray(0, partial.length).equals(partial))
          throw this.#createError("ends with a line that nobody wrote");
        if (entries.length === 0) break;
        await file.appendFile(text.subarray(partial.length));
        last = entries.at(-1)?.seq ?? last;
      }
      if (isSynced) await file.datasync();
      return last;
    } finally {
      await file.close();
    }
  }

  /** Number of the file's last entry, which must be an entry of this store. */
  async #findLastCopied(line: string, { copiedSeq = 0, readNext }: AuditMirror): Promise<number> {
    const entry = parseEntryLine(line);
    if (!entry) throw this.#createError("ends with a line that is no entry");
    if (entry.seq < copiedSeq) throw this.#createError(`ends with entry ${entry.seq}, and had ${copiedSeq} already`);
    const [storedEntry] = await readNext(entry.seq - 1);
    if (isOther(storedEntry, entry, copiedSeq))
      throw this.#createError(`ends with an entry ${entry.seq} that is not the store's`);
    return entry.seq;
  }

  #createError(reason: string, options?: ErrorOptions): PostelError {
    const message = `The audit file ${this.#path} ${reason}. The gateway carries out no audited action until it can write the file: give it the permission and the disk space, or check the file (postel audit verify --file) and move it away.`;
    return new PostelError(createFailure("store_unavailable", message), options);
  }
}

const NOTHING = Buffer.alloc(0);

/** An entry up to `mark` was copied earlier, and the store may have cut it since; an entry after it must be the store's own. */
function isOther(storedEntry: AuditEntry | undefined, { seq, hash }: AuditEntry, copiedSeq: number): boolean {
  return storedEntry?.seq === seq ? storedEntry.hash !== hash : seq > copiedSeq;
}

/** The last complete line, and the incomplete text after it. */
async function readLastLine(
  file: FileHandle,
  size: number,
): Promise<{ readonly line?: string; readonly partialLine: Buffer }> {
  let end = NOTHING;
  for (let start = size; start > 0 && end.length < LONGEST_LINE; ) {
    const length = Math.min(STEP, start);
    start -= length;
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
    end = Buffer.concat([buffer, end]);
    const last = end.lastIndexOf(LINE_FEED);
    const before = last > 0 ? end.lastIndexOf(LINE_FEED, last - 1) : -1;
    if (last !== -1 && (before !== -1 || start === 0)) {
      return { line: end.toString("utf8", before + 1, last), partialLine: end.subarray(last + 1) };
    }
  }
  return { partialLine: end };
}
