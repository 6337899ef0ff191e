// Stores memories. Finds them by a word index, in which a query is words and never a pattern, or by vectors.

import type { VectorKind } from "../../core/config/vectorStore.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { MemoryRecord, MemoryStore } from "../../core/stores/MemoryStore.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { Database, Tables } from "./Database.ts";
import { computeSliceSize, findNearest, type NearSlice, toBytes } from "./nearestVectors.ts";
import type { MemoryRow } from "./schema.ts";

/** Maximum number of indexed words of one memory. */
const MAX_WORDS = 500;
/** Maximum number of words of a query that are searched. */
const MAX_QUERY_WORDS = 32;
/** Maximum number of index entries that one search reads: the rarest words first, as they are the most specific. */
const MAX_READ = 5_000;

export class SqlMemoryStore implements MemoryStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #mostOfOwner: number;

  /** @param mostOfOwner memories of one owner */
  constructor(database: Database, clock: Pick<Clock, "now">, mostOfOwner: number) {
    this.#database = database;
    this.#clock = clock;
    this.#mostOfOwner = mostOfOwner;
  }

  put({ owner, id, text, agent }: Omit<MemoryRecord, "createdAt">): Promise<void> {
    const row = { owner, id, text, agent: agent ?? null, created_at: this.#clock.now() };
    const words = [...searchTokens(text, MAX_WORDS)].map((word) => ({ owner, word, memory: id }));
    return this.#database.write(async (tables) => {
      await forgetMemory(tables, { owner, id });
      if ((await countMemories(tables, owner)) >= this.#mostOfOwner) throw createLimitError(this.#mostOfOwner);
      await tables.insertInto("memories").values(row).execute();
      if (words.length > 0) await tables.insertInto("memory_words").values(words).execute();
    });
  }

  search(owner: string, query: string, limit: number): Promise<readonly MemoryRecord[]> {
    const queryWords = [...searchTokens(query, MAX_QUERY_WORDS)];
    if (queryWords.length === 0) return Promise.resolve([]);
    return this.#database.readTogether(async (tables) => {
      const ids = await rankMemories(tables, { owner, queryWords, limit });
      return selectMemories(tables, owner, ids);
    });
  }

  withoutVector(owner: string, { model, dimension }: VectorKind, limit: number): Promise<readonly MemoryRecord[]> {
    return this.#database.read(async (tables) => {
      const rows = await tables
        .selectFrom("memories")
        .selectAll("memories")
        .where("memories.owner", "=", owner)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("memory_vectors")
                .select("memory")
                .whereRef("memory_vectors.owner", "=", "memories.owner")
                .whereRef("memory_vectors.memory", "=", "memories.id")
                .where("memory_vectors.model", "=", model)
                .where("memory_vectors.dimension", "=", dimension),
            ),
          ),
        )
        .orderBy("memories.created_at", "desc")
        .limit(limit)
        .execute();
      return rows.map(record);
    });
  }

  setVectors(memories: readonly MemoryRecord[], kind: VectorKind, vectors: readonly Float32Array[]): Promise<void> {
    return this.#database.write(async (tables) => {
      for (const [n, memory] of memories.entries()) {
        const vector = vectors[n];
        if (vector) await setVector(tables, memory, { ...kind, vector: toBytes(vector) });
      }
    });
  }

  async nearest(
    owner: string,
    { model, vector }: { readonly model: string; readonly vector: Float32Array },
    limit: number,
  ): Promise<readonly MemoryRecord[]> {
    const slice = (after: string | undefined) =>
      this.#database.readTogether((tables) => this.#slice(tables, { owner, model, vector, after, limit }));
    const ids = (await findNearest(slice, limit)).map(({ key }) => key);
    return this.#database.read((tables) => selectMemories(tables, owner, ids));
  }

  async #slice(
    tables: Tables,
    queryWords: { owner: string; model: string; vector: Float32Array; after: string | undefined; limit: number },
  ): Promise<NearSlice<string>> {
    const { owner, model, vector, after = "", limit } = queryWords;
    const following = tables.selectFrom("memory_vectors").where("owner", "=", owner).where("memory", ">", after);
    const lastRow = await following
      .select("memory")
      .orderBy("memory")
      .offset(computeSliceSize(vector.length) - 1)
      .limit(1)
      .executeTakeFirst();
    const rows = await (lastRow ? following.where("memory", "<=", lastRow.memory) : following)
      .where("model", "=", model)
      .where("dimension", "=", vector.length)
      .select(["memory", this.#database.distance("vector", vector).as("distance")])
      .orderBy("distance")
      .limit(limit)
      .execute();
    return { matches: rows.map(({ memory, distance }) => ({ key: memory, distance })), last: lastRow?.memory };
  }

  list(
    owner: string,
    { limit, before }: { limit: number; before?: number | undefined },
  ): Promise<readonly MemoryRecord[]> {
    return this.#database.read(async (tables) => {
      let query = tables.selectFrom("memories").selectAll().where("owner", "=", owner);
      if (before !== undefined) query = query.where("created_at", "<", before);
      const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
      return rows.map(record);
    });
  }

  delete(key: OwnerKey): Promise<boolean> {
    return this.#database.write((tables) => forgetMemory(tables, key));
  }
}

/** Memories in the order of `ids`. */
async function selectMemories(tables: Tables, owner: string, ids: readonly string[]): Promise<readonly MemoryRecord[]> {
  if (ids.length === 0) return [];
  const rows = await tables
    .selectFrom("memories")
    .selectAll()
    .where("owner", "=", owner)
    .where("id", "in", ids)
    .execute();
  return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map(record);
}

/** The memory may have been deleted or changed while its vector was computed. */
async function setVector(
  tables: Tables,
  { owner, id, text }: MemoryRecord,
  row: { readonly model: string; readonly dimension: number; readonly vector: Uint8Array },
): Promise<void> {
  const [now] = await selectMemories(tables, owner, [id]);
  if (now?.text !== text) return;
  await tables
    .insertInto("memory_vectors")
    .values({ owner, memory: id, ...row })
    .onConflict((conflict) => conflict.columns(["owner", "memory"]).doUpdateSet(row))
    .execute();
}

/** Ids of memories that share words with a query. Rare words count more; among equals the newest comes first. */
async function rankMemories(
  tables: Tables,
  { owner, queryWords, limit }: { owner: string; queryWords: readonly string[]; limit: number },
): Promise<readonly string[]> {
  const found = await tables
    .selectFrom("memory_words")
    .select(({ fn }) => ["word", fn.countAll<number>().as("memories")])
    .where("owner", "=", owner)
    .where("word", "in", queryWords)
    .groupBy("word")
    .execute();
  const counts = new Map(found.map(({ word, memories }) => [word, memories]));
  const rows = await tables
    .selectFrom("memory_words")
    .innerJoin("memories", (join) =>
      join.onRef("memories.owner", "=", "memory_words.owner").onRef("memories.id", "=", "memory_words.memory"),
    )
    .select(["memory_words.memory", "memory_words.word", "memories.created_at"])
    .where("memory_words.owner", "=", owner)
    .where("memory_words.word", "in", rarest(counts))
    .limit(MAX_READ)
    .execute();
  const scores = new Map<string, { score: number; at: number }>();
  for (const { memory, word, created_at: at } of rows) {
    const score = (scores.get(memory)?.score ?? 0) + 1 / (counts.get(word) ?? 1);
    scores.set(memory, { score, at });
  }
  return [...scores]
    .sort(([, a], [, b]) => b.score - a.score || b.at - a.at)
    .slice(0, limit)
    .map(([id]) => id);
}

function rarest(counts: ReadonlyMap<string, number>): readonly string[] {
  let readCount = 0;
  return [...counts]
    .sort(([, a], [, b]) => a - b)
    .filter(([, count], i) => {
      readCount += count;
      return i === 0 || readCount <= MAX_READ;
    })
    .map(([word]) => word);
}

async function countMemories(tables: Tables, owner: string): Promise<number> {
  const { kept: count } = await tables
    .selectFrom("memories")
    .select(({ fn }) => fn.countAll<number>().as("kept"))
    .where("owner", "=", owner)
    .executeTakeFirstOrThrow();
  return count;
}

function record(row: MemoryRow): MemoryRecord {
  return {
    owner: row.owner,
    id: row.id,
    text: row.text,
    ...(row.agent !== null && { agent: row.agent }),
    createdAt: row.created_at,
  };
}

function createLimitError(limit: number): PostelError {
  const message = `This owner has ${limit} memories, which is as many as are kept (\`store.retention.max.memories\`). Delete some first.`;
  return new PostelError(createFailure("store_full", message));
}

/** Returns false if it did not exist. */
export async function forgetMemory(tables: Tables, { owner, id }: OwnerKey): Promise<boolean> {
  await tables.deleteFrom("memory_vectors").where("owner", "=", owner).where("memory", "=", id).execute();
  await tables.deleteFrom("memory_words").where("owner", "=", owner).where("memory", "=", id).execute();
  const { numDeletedRows } = await tables
    .deleteFrom("memories")
    .where("owner", "=", owner)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const WORDS = new Intl.Segmenter("und", { granularity: "word" });
/** Number of characters of a word that are compared. */
const WORD_CHARS = 64;
/** Number of characters of a text that are examined per word. */
const TEXT_CHARS_A_WORD = 64;

/** At most `most` distinct words, normalized in case and spelling; signs and spaces are skipped. */
function searchTokens(text: string, limit: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { segment, isWordLike } of WORDS.segment(text.slice(0, limit * TEXT_CHARS_A_WORD))) {
    if (!isWordLike) continue;
    found.add(segment.normalize("NFKC").toLowerCase().slice(0, WORD_CHARS));
    if (found.size === limit) break;
  }
  return found;
}
