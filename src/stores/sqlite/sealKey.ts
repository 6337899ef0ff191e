// The key of a store's seals: a configured value, or a file next to the store that is created once.
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import type { SealKeyConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";

/** Bytes of a key that is made here. */
const KEY_BYTES = 32;
/** Minimum number of characters of a key; a shorter one could be guessed. */
const SHORTEST_KEY = 32;

export class SealKey {
  readonly #config: SealKeyConfig;

  /** @param store file of the store; without a `config` the key file is next to it */
  constructor(store: string, config: SealKeyConfig = { type: "file", file: `${store}.key` }) {
    this.#config = config;
  }

  /** The file, or the configuration's key; for a message. */
  get location(): string {
    return this.#config.type === "file" ? this.#config.file : "the value of `store.seal_key`";
  }

  /**
   * Undefined if the key file does not exist. @throws PostelError `invalid_configuration` if it contains no key or cannot be
   * read.
   */
  read(): Uint8Array | undefined {
    return this.#config.type === "value" ? Buffer.from(this.#config.value) : readKeyFile(this.#config.file);
  }

  /** A key that was created but not published, because the process ended before that. */
  readPending(): Uint8Array | undefined {
    return this.#config.type === "value" ? undefined : readKeyFile(pendingFile(this.#config.file));
  }

  /**
   * Creates a key and writes it to the disk under a pending name. Only the process that has locked the store may call this.
   * @throws PostelError `invalid_configuration` if it cannot be written.
   */
  make(): Uint8Array {
    if (this.#config.type === "value") throw new Error("A configured value is never made.");
    const key = randomBytes(KEY_BYTES).toString("hex");
    const pending = pendingFile(this.#config.file);
    try {
      rmSync(pending, { force: true });
      const file = openSync(pending, "wx", 0o600);
      try {
        writeSync(file, `${key}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      const reason = `cannot be made (${(error as Error).message}). Its folder must be there, and this user must be allowed to write in it`;
      throw createOpenError(this.#config.file, reason, error);
    }
    return Buffer.from(key);
  }

  /** Publishes the created key under its final name: atomically, and never over an existing key. */
  publish(): void {
    if (this.#config.type === "value") return;
    const pending = pendingFile(this.#config.file);
    try {
      linkSync(pending, this.#config.file);
    } catch (error) {
      // Another process that found it pending was faster.
      if (!["EEXIST", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? ""))
        throw createOpenError(this.#config.file, `cannot be made (${(error as Error).message})`, error);
    }
    rmSync(pending, { force: true });
  }
}

function pendingFile(file: string): string {
  return `${file}.new`;
}

function readKeyFile(file: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw createOpenError(file, `cannot be read (${(error as Error).message})`, error);
  }
  if (text.length >= SHORTEST_KEY) return Buffer.from(text);
  throw createOpenError(file, `holds no key: expected ${SHORTEST_KEY} characters or more. Put the right file back`);
}

function createOpenError(file: string, reason: string, cause?: unknown): PostelError {
  const message = `The key of the store's seals, ${file}, ${reason}.`;
  return new PostelError(createFailure("invalid_configuration", message), { cause });
}
