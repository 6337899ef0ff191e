// Seals records that authorize actions: an HMAC over the position and text of a record. A writer without the key cannot forge
// one.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { createNewerError, createUnsealedError, getSealedText, refuseNewer } from "../sql/checksummedJson.ts";

/** Position of a record: its table, owner, ids and further columns. */
export type SealPlace = readonly (string | number | null)[];

/** A record as a failure names it. */
interface SealedRecord {
  readonly recordName: string;
  readonly run?: string | undefined;
}

/** Version of the sealed form. A text that begins with a digit has only a checksum, which needs no key. */
const VERSION = 1;
const SEALED = /^k([1-9]\d{0,8}):([0-9a-f]{64}):/;
/** Characters before the text: `k`, version, colon, 64 hex digits, colon. */
export const SEAL_CHARS = 68;
/** Marks the MAC as a fingerprint. */
const FINGERPRINT: SealPlace = ["postel-seal-key"];

export class Seals {
  readonly #key: KeyObject | undefined;

  /** @param key absent: seals are not checked, and none can be made */
  constructor(key?: Uint8Array) {
    this.#key = key && createSecretKey(key);
  }

  /** False if there is no key. */
  get checked(): boolean {
    return this.#key !== undefined;
  }

  /** Identifies the key without revealing it. */
  get fingerprint(): string {
    return this.mac(FINGERPRINT, "");
  }

  seal(place: SealPlace, value: unknown): string {
    return this.sealText(place, JSON.stringify(value));
  }

  sealText(place: SealPlace, text: string): string {
    return `k${VERSION}:${this.mac(place, text)}:${text}`;
  }

  /**
   * The value that was sealed at this position. @param record name of the record for messages, and its run @throws PostelError
   * `store_damaged`; `store_unavailable` if a newer version of Postel wrote it.
   */
  unseal<T>(place: SealPlace, sealed: string, record: SealedRecord): T {
    const { recordName, run } = record;
    if (!this.checked) return parseSealed(getSealedText(sealed, recordName), record);
    const [head, version, mac] = SEALED.exec(sealed) ?? [];
    if (head === undefined || mac === undefined) {
      refuseNewer(sealed, recordName);
      throw createUnsealedError(recordName, run);
    }
    if (Number(version) > VERSION) throw createNewerError(recordName, Number(version));
    const text = sealed.slice(head.length);
    if (!this.isMac(mac, place, text)) throw createUnsealedError(recordName, run);
    return parseSealed(text, record);
  }

  /**
   * HMAC-SHA-256 in hex over the parts, each with a length prefix, so that different lists of parts cannot give the same
   * input.
   */
  mac(place: SealPlace, text: string): string {
    if (!this.#key) throw new Error("Without the key of the store no seal can be made.");
    const head = place.map((part) => (part === null ? "-" : `${Buffer.byteLength(String(part))}:${part}`)).join("");
    return createHmac("sha256", this.#key).update(`${VERSION};${place.length};${head};`).update(text).digest("hex");
  }

  /** Always true without a key. */
  isMac(mac: string, place: SealPlace, text: string): boolean {
    if (!this.checked) return true;
    const expected = Buffer.from(this.mac(place, text));
    const actual = Buffer.from(mac);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}

function parseSealed<T>(text: string, { recordName, run }: SealedRecord): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw createUnsealedError(recordName, run);
  }
}
