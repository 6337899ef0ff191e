// Collections in tables: adds and deletes entries with their parts and fields, and builds metadata filters.
import type { ExpressionBuilder } from "kysely";
import type { Metadata, MetadataTest, VectorEntry, VectorKind } from "../../core/config/vectorStore.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import { encodeChecked } from "./checksummedJson.ts";
import type { Tables } from "./Database.ts";
import { toBytes } from "./nearestVectors.ts";
import type { Schema } from "./schema.ts";

/** Model and dimension of a collection's vectors; undefined if it is empty. */
export function getCollectionKind(tables: Tables, { owner, id }: OwnerKey): Promise<VectorKind | undefined> {
  return tables
    .selectFrom("collections")
    .select(["model", "dimension"])
    .where("owner", "=", owner)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** @throws PostelError `invalid_configuration` if the vectors cannot be compared. */
export function checkKind(existing: VectorKind, requested: VectorKind, { owner, id }: OwnerKey): void {
  if (existing.model === requested.model && existing.dimension === requested.dimension) return;
  const recordName = ({ model, dimension }: VectorKind) => `\`${model}\` with ${dimension} numbers a text`;
  const advice = "Ask that model again, name another `collection`, or delete all its entries and insert them anew.";
  const message = `The collection \`${id}\` of ${owner} was made by ${recordName(existing)}; what it is to be compared with was made by ${recordName(requested)}. ${advice}`;
  throw new PostelError(createFailure("invalid_configuration", message));
}

export async function addEntry(
  tables: Tables,
  { owner, id: collection }: OwnerKey,
  { entry, now }: { readonly entry: VectorEntry; readonly now: number },
): Promise<void> {
  const { id, title = null, url = null, metadata, parts } = entry;
  const collectionKey = { owner, collection };
  const row = { ...collectionKey, id, title, url, metadata: encodeChecked(metadata), created_at: now };
  await tables.insertInto("collection_entries").values(row).execute();
  const texts = parts.map(({ text, vector }, n) => ({
    ...{ ...collectionKey, entry: id, part: n + 1, text },
    vector: toBytes(vector),
  }));
  await tables.insertInto("collection_parts").values(texts).execute();
  const fields = toFields(metadata).map((field) => ({ ...collectionKey, entry: id, ...field }));
  if (fields.length > 0) await tables.insertInto("collection_fields").values(fields).execute();
}

/** Each value once. */
function toFields(metadata: Metadata) {
  const fields = Object.entries(metadata).flatMap(([name, value]) =>
    [value].flat().map((one) => ({ name, value: JSON.stringify(one), number: typeof one === "number" ? one : null })),
  );
  return [...new Map(fields.map((field) => [JSON.stringify([field.name, field.value]), field])).values()];
}

/** Resolves with how many were there. */
export async function dropEntries(
  tables: Tables,
  { owner, id: collection }: OwnerKey,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  for (const table of ["collection_fields", "collection_parts"] as const)
    await tables
      .deleteFrom(table)
      .where("owner", "=", owner)
      .where("collection", "=", collection)
      .where("entry", "in", ids)
      .execute();
  const { numDeletedRows } = await tables
    .deleteFrom("collection_entries")
    .where("owner", "=", owner)
    .where("collection", "=", collection)
    .where("id", "in", ids)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** An empty collection may be restarted with another model. */
export async function dropIfEmpty(tables: Tables, { owner, id }: OwnerKey): Promise<void> {
  const entry = await tables
    .selectFrom("collection_entries")
    .select("id")
    .where("owner", "=", owner)
    .where("collection", "=", id)
    .limit(1)
    .executeTakeFirst();
  if (!entry) await tables.deleteFrom("collections").where("owner", "=", owner).where("id", "=", id).execute();
}

/**
 * Condition that an entry passes the filter; names and values are bound as parameters. @param entry column of the entry's id
 */
export function passes<T extends "collection_entries" | "collection_parts">(
  eb: ExpressionBuilder<Schema, T>,
  { owner, id: collection }: OwnerKey,
  {
    entry,
    filter,
  }: { readonly entry: "collection_entries.id" | "collection_parts.entry"; readonly filter: readonly MetadataTest[] },
) {
  // Both tables have these columns; the caller chooses the table.
  const any = eb as unknown as ExpressionBuilder<Schema, "collection_entries" | "collection_parts">;
  return any.and(
    filter.map((test) => {
      const field = any
        .selectFrom("collection_fields")
        .select("collection_fields.entry")
        .where("collection_fields.owner", "=", owner)
        .where("collection_fields.collection", "=", collection)
        .whereRef("collection_fields.entry", "=", entry)
        .where("collection_fields.name", "=", test.name);
      if (test.type === "one-of")
        return any.exists(
          field.where(
            "collection_fields.value",
            "in",
            test.values.map((value) => JSON.stringify(value)),
          ),
        );
      const bounds = BOUNDS.flatMap(([bound, compare]) => {
        const number = test[bound];
        return number === undefined ? [] : [{ compare, number }];
      });
      return any.exists(
        bounds.reduce(
          (within, { compare, number }) => within.where("collection_fields.number", compare, number),
          field,
        ),
      );
    }),
  );
}

const BOUNDS = [
  ["gt", ">"],
  ["gte", ">="],
  ["lt", "<"],
  ["lte", "<="],
] as const;
