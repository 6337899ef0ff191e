// Classifies errors of SQLite: busy, full, damaged or unavailable.
import { createFailure } from "../../core/failures.ts";
import type { DriverError } from "../sql/Database.ts";

// Result codes of SQLite (https://www.sqlite.org/rescode.html): the low byte is the primary code, the full value the extended
// one.
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
const PERMISSION = 3;
/** A write that the system refused for another reason than a full disk: above all a file that may grow no further. */
const WRITE_REFUSED = 778;

/** Another process removed a table or column that every open store has. */
const MISSING = /^no such (table|column)/;

/** Node's own error: a number in the file that no column of the gateway can contain. */
const BEYOND_NUMBERS = "ERR_OUT_OF_RANGE";

/** Returns undefined if the error does not concern the state of the database. */
export function toDriverError(error: unknown, file: string): DriverError | undefined {
  const { message = "", code: ofNode } = (error ?? {}) as NodeJS.ErrnoException;
  if (ofNode === BEYOND_NUMBERS) return createDamagedFileError(file, message);
  const code = getErrorCode(error);
  if (code === undefined) return undefined;
  if (code === WRITE_REFUSED) return createFullDiskError(file, message);
  switch (code & 0xff) {
    case BUSY:
    case LOCKED:
      return "busy";
    case ERROR:
      return MISSING.test(message) ? createDamagedFileError(file, message) : undefined;
    case FULL:
      return createFullDiskError(file, message);
    case CORRUPT:
    case NOT_A_DATABASE:
      return createDamagedFileError(file, message);
    case READ_ONLY:
    case PERMISSION:
      return createFailure(
        "store_unavailable",
        `The store ${file} may not be written (${message}). Give the gateway the right.`,
      );
    case IO_ERROR:
    case CANNOT_OPEN:
      return createFailure("store_unavailable", `The store ${file} cannot be reached (${message}). See to its disk.`);
    default:
      return undefined;
  }
}

function createDamagedFileError(file: string, message: string): DriverError {
  const advice = "Stop the gateway and put a backup in its place.";
  return createFailure("store_damaged", `The store ${file} is damaged (${message}). ${advice}`);
}

function createFullDiskError(file: string, message: string): DriverError {
  const advice = "Make room, erase what is no longer needed, or raise `store.max_bytes`.";
  return createFailure("store_full", `The store ${file} takes no more (${message}); nothing was written. ${advice}`);
}

function getErrorCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}
