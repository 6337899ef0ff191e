// The sections `store` and `audit` of postel.yaml: what is stored, where, for how long and how much.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import {
  AUDIT_CONTENT_MODES,
  type AuditConfig,
  type SealKeyConfig,
  type StoreConfig,
} from "../../core/config/configuration.ts";
import { enumField, flag, integerField, key, nonEmptyText, textField } from "../fields.ts";

const DAY_MS = 86_400_000;
/** A hundred years. */
const MOST_DAYS = 36_500;

/** A relative file is resolved from `folder`. */
export function storeSchema(folder: string) {
  return z
    .strictObject({
      file: nonEmptyText("a file name").optional(),
      seal_key: sealKeySchema(folder).optional(),
      max_bytes: integerField("bytes", 1_048_576, 1_099_511_627_776).default(1_073_741_824),
      retention: z.strictObject({ max: retentionMaxSchema().prefault({}) }).prefault({}),
      keep: keepSchema().prefault({}),
    })
    .transform(
      (store): StoreConfig => ({
        ...(store.file !== undefined && { file: resolve(folder, store.file) }),
        ...(store.seal_key && { sealKey: store.seal_key }),
        maxBytes: store.max_bytes,
        retentionMax: store.retention.max,
        keepMs: store.keep,
      }),
    );
}

/** Minimum length in characters: shorter HMAC keys can be guessed. */
const SHORTEST_SEAL_KEY = 32;

/** The key itself, or `{file}`. A path written as the key would be a guessable key, so it is refused. */
function sealKeySchema(folder: string) {
  const isKey = (text: string) =>
    text.length >= SHORTEST_SEAL_KEY && !/^(\.{0,2}\/|~)/.test(text) && !existsSync(resolve(folder, text));
  const error = `expected a key of ${SHORTEST_SEAL_KEY} characters or more, such as \${env.POSTEL_SEAL_KEY}, or \`{ file: … }\` with the file that holds it`;
  const value = key().refine(isKey, { error });
  const file = z.strictObject({ file: nonEmptyText("a file name") });
  return z
    .union([value, file], { error })
    .transform(
      (rawKey): SealKeyConfig =>
        typeof rawKey === "string"
          ? { type: "value", value: rawKey }
          : { type: "file", file: resolve(folder, rawKey.file) },
    );
}

/** A relative file is resolved from `folder`. */
export function createAuditSchema(folder: string) {
  return z
    .strictObject({
      enabled: flag().optional(),
      file: nonEmptyText("a file name").optional(),
      keep: days().default(365 * DAY_MS),
      arguments: enumField(AUDIT_CONTENT_MODES).default("whole"),
      results: enumField(AUDIT_CONTENT_MODES).default("hashed"),
    })
    .transform(
      ({ keep: keepMs, file, ...audit }): AuditConfig => ({
        ...audit,
        keepMs,
        ...(file !== undefined && { file: resolve(folder, file) }),
      }),
    );
}

/** The maximum values keep a query for one record within milliseconds. */
function retentionMaxSchema() {
  return z.strictObject({
    sessions: integerField("sessions", 1, 100_000).default(10_000),
    messages: integerField("messages", 100, 100_000).default(10_000),
    runs: integerField("runs", 1, 100_000).default(10_000),
    events: integerField("events", 1_000, 1_000_000).default(100_000),
    memories: integerField("memories", 0, 100_000).default(10_000),
  });
}

function keepSchema() {
  return z.strictObject({
    sessions: days().default(90 * DAY_MS),
    runs: days().default(30 * DAY_MS),
    events: days().default(7 * DAY_MS),
    memories: days().default(3_650 * DAY_MS),
  });
}

/** `90d`, as milliseconds. */
function days() {
  const error = `expected days such as 90d, 1d to ${MOST_DAYS}d`;
  return textField("days such as 90d")
    .refine((value) => /^\d{1,5}d$/.test(value) && inRange(Number.parseInt(value, 10)), { error })
    .transform((value) => Number.parseInt(value, 10) * DAY_MS);
}

function inRange(count: number): boolean {
  return count >= 1 && count <= MOST_DAYS;
}
