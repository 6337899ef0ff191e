// Stores collections of texts and their vectors, with the owner in every key. Each search reads all vectors of one
// collection.

import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { FoundPart, Metadata, MetadataTest, VectorEntry, VectorQuery } from "../../core/config/vectorStore.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { VectorStore } from "../../core/stores/VectorCollections.ts";
import { decodeChecked, filterReadable } from "./checksummedJson.ts";
import { addEntry, checkKind, dropEntries, dropIfEmpty, getCollectionKind, passes } from "./collectionRows.ts";
import type { Database, Tables } from "./Database.ts";
import { computeSliceSize, findNearest, type Near, type NearSlice } from "./nearestVectors.ts";
import { SLICE } from "./pages.ts";
import type { CollectionEntryRow } from "./schema.ts";

/** A part by its entry and its number. */
type Part = readonly [entry: string, part: number];

export class SqlVectorStore implements VectorStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#database = database;
    this.#clock = clock;
  }

  put(
    collection: OwnerKey,
    { entries, model, limit }: { entries: readonly VectorEntry[]; model: string; limit: number },
  ): Promise<void> {
    const parts = entries.flatMap((entry) => entry.parts);
    const kind = { model, dimension: parts[0]?.vector.length ?? 0 };
    const now = this.#clock.now();
    return this.#database.write(async (tables) => {
      const { owner, id } = collection;
      const existingKind = await getCollectionKind(tables, collection);
      if (existingKind) checkKind(existingKind, kind, collection);
      else
        await tables
          .insertInto("collections")
          .values({ owner, id, ...kind, created_at: now })
          .execute();
      await dropEntries(
        tables,
        collection,
        entries.map((entry) => entry.id),
      );
      if ((await countParts(tables, collection)) + parts.length > limit) throw createLimitError(collection, limit);
      for (const entry of entries) await addEntry(tables, collection, { entry, now });
    });
  }

  async nearest(collection: OwnerKey, query: VectorQuery): Promise<readonly FoundPart[]> {
    const { vector, model, most } = query;
    const existingKind = await this.#database.read((tables) => getCollectionKind(tables, collection));
    if (!existingKind) return [];
    checkKind(existingKind, { model, dimension: vector.length }, collection);
    const slice = (after: Part | undefined) =>
      this.#database.readTogether((tables) => this.#slice(tables, { collection, query, after }));
    const best = await findNearest(slice, most);
    return this.#database.readTogether((tables) => selectFoundParts(tables, collection, best));
  }

  async delete(
    collection: OwnerKey,
    selection: { readonly ids: readonly string[] } | { readonly filter: readonly MetadataTest[] },
  ): Promise<number> {
    if ("ids" in selection)
      return this.#database.write(async (tables) => {
        const deletedCount = await dropEntries(tables, collection, selection.ids);
        await dropIfEmpty(tables, collection);
        return deletedCount;
      });
    for (let deletedCount = 0; ; ) {
      const dropped = await this.#database.write((tables) => dropPassing(tables, collection, selection.filter));
      deletedCount += dropped;
      if (dropped < SLICE) return deletedCount;
      await yieldToEventLoop();
    }
  }

  async #slice(
    tables: Tables,
    { collection, query, after }: { collection: OwnerKey; query: VectorQuery; after: Part | undefined },
  ): Promise<NearSlice<Part>> {
    const { vector, filter, most } = query;
    let following = tables
      .selectFrom("collection_parts")
      .where("collection_parts.owner", "=", collection.owner)
      .where("collection_parts.collection", "=", collection.id);
    if (after) following = following.where((eb) => eb(eb.refTuple("entry", "part"), ">", eb.tuple(...after)));
    const lastRow = await following
      .select(["entry", "part"])
      .orderBy("entry")
      .orderBy("part")
      .offset(computeSliceSize(vector.length) - 1)
      .limit(1)
      .executeTakeFirst();
    const last: Part | undefined = lastRow && [lastRow.entry, lastRow.part];
    if (last) following = following.where((eb) => eb(eb.refTuple("entry", "part"), "<=", eb.tuple(...last)));
    const rows = await following
      .where((eb) => passes(eb, collection, { entry: "collection_parts.entry", filter }))
      .select(["entry", "part", this.#database.distance("collection_parts.vector", vector).as("distance")])
      .orderBy("distance")
      .limit(most)
      .execute();
    return { matches: rows.map(({ entry, part, distance }) => ({ key: [entry, part], distance })), last };
  }
}

/** The first entries that pass, at most `SLICE`. */
async function dropPassing(tables: Tables, collection: OwnerKey, filter: readonly MetadataTest[]): Promise<number> {
  const rows = await tables
    .selectFrom("collection_entries")
    .select("id")
    .where("collection_entries.owner", "=", collection.owner)
    .where("collection_entries.collection", "=", collection.id)
    .where((eb) => passes(eb, collection, { entry: "collection_entries.id", filter }))
    .orderBy("id")
    .limit(SLICE)
    .execute();
  const deletedCount = await dropEntries(
    tables,
    collection,
    rows.map(({ id }) => id),
  );
  await dropIfEmpty(tables, collection);
  return deletedCount;
}

async function countParts(tables: Tables, { owner, id }: OwnerKey): Promise<number> {
  const { kept: count } = await tables
    .selectFrom("collection_parts")
    .select(({ fn }) => fn.countAll<number>().as("kept"))
    .where("owner", "=", owner)
    .where("collection", "=", id)
    .executeTakeFirstOrThrow();
  return count;
}

/** Found parts in the order of `best`; entries deleted meanwhile are skipped. */
async function selectFoundParts(
  tables: Tables,
  { owner, id: collection }: OwnerKey,
  best: readonly Near<Part>[],
): Promise<readonly FoundPart[]> {
  if (best.length === 0) return [];
  const entries = await tables
    .selectFrom("collection_entries")
    .selectAll()
    .where("owner", "=", owner)
    .where("collection", "=", collection)
    .where(
      "id",
      "in",
      best.map(({ key: [entry] }) => entry),
    )
    .execute();
  const texts = await tables
    .selectFrom("collection_parts")
    .select(["entry", "part", "text"])
    .where("owner", "=", owner)
    .where("collection", "=", collection)
    .where((eb) => eb.or(best.map(({ key: [entry, part] }) => eb.and({ entry, part }))))
    .execute();
  return filterReadable(best, ({ key: [id, part], distance }) => {
    const entry = entries.find((row) => row.id === id);
    const text = texts.find((row) => row.entry === id && row.part === part)?.text;
    return entry && text !== undefined ? [toFoundEntry(entry, { text, score: 1 - distance })] : [];
  }).flat();
}

function toFoundEntry(row: CollectionEntryRow, selection: Pick<FoundPart, "text" | "score">): FoundPart {
  return {
    id: row.id,
    ...selection,
    ...(row.title !== null && { title: row.title }),
    ...(row.url !== null && { url: row.url }),
    metadata: decodeChecked<Metadata>(row.metadata, `The entry ${row.id}`),
  };
}

function createLimitError({ id }: OwnerKey, limit: number): PostelError {
  const message = `The collection \`${id}\` may hold ${limit} texts and parts of texts of one owner (\`most\` of the vector store); nothing was inserted. Delete some first.`;
  return new PostelError(createFailure("store_full", message));
}
