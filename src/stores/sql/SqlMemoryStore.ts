// Lasting facts in tables, with an index of their words that search goes by: a query is words and never a pattern. Knows no dialect.
import { failure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { MemoryRecord, MemoryStore, OwnedKey } from "../../core/stores.ts";
import type { Database, Tables } from "./Database.ts";
import { forgetMemory } from "./memoryRows.ts";
import type { MemoryRow } from "./schema.ts";
import { wordsOf } from "./wordsOf.ts";

/** Words of one memory that it is found by. */
const MAX_WORDS = 500;
/** Words of a query that are looked for. */
const MAX_QUERY_WORDS = 32;
/** Entries of the index that one search reads: the rarest words first, so that what is found says most. */
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
    const words = [...wordsOf(text, MAX_WORDS)].map((word) => ({ owner, word, memory: id }));
    return this.#database.write(async (tables) => {
      await forgetMemory(tables, { owner, id });
      if ((await countOf(tables, owner)) >= this.#mostOfOwner) throw tooMany(this.#mostOfOwner);
      await tables.insertInto("memories").values(row).execute();
      if (words.length > 0) await tables.insertInto("memory_words").values(words).execute();
    });
  }

  search(owner: string, query: string, most: number): Promise<readonly MemoryRecord[]> {
    const asked = [...wordsOf(query, MAX_QUERY_WORDS)];
    if (asked.length === 0) return Promise.resolve([]);
    return this.#database.readTogether(async (tables) => {
      const ids = await best(tables, { owner, asked, most });
      if (ids.length === 0) return [];
      const rows = await tables
        .selectFrom("memories")
        .selectAll()
        .where("owner", "=", owner)
        .where("id", "in", ids)
        .execute();
      return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map(record);
    });
  }

  list(
    owner: string,
    { most, before }: { most: number; before?: number | undefined },
  ): Promise<readonly MemoryRecord[]> {
    return this.#database.read(async (tables) => {
      let query = tables.selectFrom("memories").selectAll().where("owner", "=", owner);
      if (before !== undefined) query = query.where("created_at", "<", before);
      const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(most).execute();
      return rows.map(record);
    });
  }

  delete(key: OwnedKey): Promise<boolean> {
    return this.#database.write((tables) => forgetMemory(tables, key));
  }
}

/** Ids of the memories that share words with a query: a word counts the more, the fewer memories have it; of equal ones the youngest. */
async function best(
  tables: Tables,
  { owner, asked, most }: { owner: string; asked: readonly string[]; most: number },
): Promise<readonly string[]> {
  const found = await tables
    .selectFrom("memory_words")
    .select(({ fn }) => ["word", fn.countAll<number>().as("memories")])
    .where("owner", "=", owner)
    .where("word", "in", asked)
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
    .slice(0, most)
    .map(([id]) => id);
}

function rarest(counts: ReadonlyMap<string, number>): readonly string[] {
  let read = 0;
  return [...counts]
    .sort(([, a], [, b]) => a - b)
    .filter(([, count], i) => {
      read += count;
      return i === 0 || read <= MAX_READ;
    })
    .map(([word]) => word);
}

async function countOf(tables: Tables, owner: string): Promise<number> {
  const { kept } = await tables
    .selectFrom("memories")
    .select(({ fn }) => fn.countAll<number>().as("kept"))
    .where("owner", "=", owner)
    .executeTakeFirstOrThrow();
  return kept;
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

function tooMany(most: number): PostelError {
  const message = `This owner has ${most} memories, which is as many as are kept (\`store.most.memories\`). Delete some first.`;
  return new PostelError(failure("store_full", message));
}
