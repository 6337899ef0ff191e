// Collections in the store: exact beside brute force, one owner's alone, kept by one model, in memory and in a file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Metadata, MetadataTest, VectorEntry } from "../../../src/core/config/vectorStore.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { OwnerKey } from "../../../src/core/stores/OwnerKey.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { STORE } from "../../support/defaults.ts";
import { cosine, randomOf } from "../../support/vectors/vectors.ts";

const ADA: OwnerKey = { owner: "ada", id: "same" };
const BOB: OwnerKey = { owner: "bob", id: "same" };
const MODEL = "m";
const MOST = 1_000;
const HOSTILE = "x'; DROP TABLE runs;-- %_\\ \0 \u{1F388}";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-vectors-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
let store: SqliteStore;
const open = (file?: string) => SqliteStore.open({ ...STORE, clock: new ManualClock(), vectors: true, file });
beforeEach(async () => {
  files += 1;
  store = await open(files % 2 === 0 ? join(folder, `${files}.db`) : undefined);
});
afterEach(() => store.close());

function entry(id: string, numbers: readonly number[], metadata: Metadata = {}): VectorEntry {
  return { id, metadata, parts: [{ text: `text of ${id}`, vector: new Float32Array(numbers) }] };
}

const put = (collection: OwnerKey, entries: readonly VectorEntry[], model = MODEL, most = MOST) =>
  store.vectors.put(collection, { entries, model, limit: most });
const nearest = (collection: OwnerKey, numbers: readonly number[], filter: readonly MetadataTest[] = [], most = 5) =>
  store.vectors.nearest(collection, { vector: new Float32Array(numbers), model: MODEL, most, filter });
const idsOf = async (...asked: Parameters<typeof nearest>) => (await nearest(...asked)).map(({ id }) => id);

async function exported(owner: string): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for await (const row of store.owners.export(owner)) rows.push(row);
  return rows;
}

describe("entries of a collection", () => {
  it("are found whole, the nearest first, with how near they are", async () => {
    const parts = [
      { text: "far", vector: new Float32Array([0, 1]) },
      { text: HOSTILE, vector: new Float32Array([1, 0.1]) },
    ];
    await put(ADA, [{ id: "a", title: "T", url: "https://x.example/", metadata: { tag: ["p", "q"], n: 1 }, parts }]);
    await put(ADA, [entry("b", [-1, 0])]);
    const found = await nearest(ADA, [1, 0]);
    expect(found.map(({ text }) => text)).toEqual([HOSTILE, "far", "text of b"]);
    expect(found[0]).toMatchObject({
      ...{ id: "a", title: "T", url: "https://x.example/", metadata: { tag: ["p", "q"], n: 1 } },
      score: expect.closeTo(1 / Math.hypot(1, 0.1), 5),
    });
    expect(found[2]?.score).toBeCloseTo(-1, 5);
    expect(await nearest({ ...ADA, id: "another" }, [1, 0])).toEqual([]);
  });

  it("give way to those of the same id, with all that was theirs", async () => {
    await put(ADA, [entry("a", [1, 0], { old: true }), entry("b", [0, 1])]);
    await put(ADA, [entry("a", [0, 1], { young: true })]);
    expect(await nearest(ADA, [0, 1])).toHaveLength(2);
    expect(await idsOf(ADA, [0, 1], [{ type: "one-of", name: "old", values: [true] }])).toEqual([]);
    expect(await idsOf(ADA, [0, 1], [{ type: "one-of", name: "young", values: [true] }])).toEqual(["a"]);
  });

  it("go by their ids, or by what is known of them, and are counted", async () => {
    const many = Array.from({ length: 1_203 }, (_, n) => entry(`e${n}`, [1, n], { even: n % 2 === 0 }));
    for (let n = 0; n < many.length; n += 100) await put(ADA, many.slice(n, n + 100), MODEL, 2_000);
    expect(await store.vectors.delete(ADA, { ids: ["e0", "e2", "nobody"] })).toBe(2);
    expect(await store.vectors.delete(ADA, { filter: [{ type: "one-of", name: "even", values: [true] }] })).toBe(600);
    expect(await store.vectors.delete(ADA, { filter: [] })).toBe(601);
    expect(await nearest(ADA, [1, 0])).toEqual([]);
  });

  it("are as many as may be, and one more is refused with all that came with it", async () => {
    await put(ADA, [entry("a", [1]), entry("b", [1])], MODEL, 3);
    const refused = put(ADA, [entry("c", [1]), entry("d", [1])], MODEL, 3);
    await expect(refused).rejects.toMatchObject({ failure: { code: "store_full" } });
    expect((await idsOf(ADA, [1])).toSorted()).toEqual(["a", "b"]);
    await put(ADA, [entry("b", [1]), entry("c", [1])], MODEL, 3);
    await put(BOB, [entry("b", [1])], MODEL, 3);
  });
});

describe("a collection", () => {
  it("is one owner's: of another of the same name nothing is found, changed, deleted or erased", async () => {
    await put(ADA, [entry("same", [1, 0], { who: "ada" })]);
    await put(BOB, [entry("same", [1, 0], { who: "bob" })], "another model");
    expect((await nearest(ADA, [1, 0])).map(({ metadata }) => metadata)).toEqual([{ who: "ada" }]);
    expect(await store.vectors.delete(BOB, { filter: [{ type: "one-of", name: "who", values: ["ada"] }] })).toBe(0);
    expect(await store.vectors.delete(BOB, { ids: ["same"] })).toBe(1);
    expect(await idsOf(ADA, [1, 0])).toEqual(["same"]);
    await store.owners.erase("bob");
    expect(await idsOf(ADA, [1, 0])).toEqual(["same"]);
  });

  it.each([
    ["ada", "same", "ada'--", "same"],
    ["ada", "same", "ada\0same", ""],
    ["a", "b\0c", "a\0b", "c"],
    ["ada", "same", "%", "%"],
    ["ada", "same", "ada", "same' OR '1'='1"],
  ])("of %j called %j is not that of %j called %j", async (owner, id, other, another) => {
    await put({ owner, id }, [entry("secret", [1, 0], { k: "v" })]);
    for (const filter of [[], [{ type: "one-of", name: "k", values: ["v", "' OR 1=1 --"] }]] as const) {
      expect(await nearest({ owner: other, id: another }, [1, 0], filter)).toEqual([]);
      expect(await store.vectors.delete({ owner: other, id: another }, { filter })).toBe(0);
    }
    expect(await idsOf({ owner, id }, [1, 0])).toEqual(["secret"]);
  });

  it.each(["a') OR 1=1 --", "$.k", "k'", "%", HOSTILE])(
    "has no entry by a crafted name of metadata: %j",
    async (name) => {
      await put(ADA, [entry("a", [1, 0], { k: "x" })]);
      expect(await idsOf(ADA, [1, 0], [{ type: "one-of", name, values: ["x"] }])).toEqual([]);
      expect(await idsOf(ADA, [1, 0], [{ type: "range", name, gt: -1 }])).toEqual([]);
      await put(ADA, [entry("a", [1, 0], { [name]: HOSTILE })]);
      expect(await idsOf(ADA, [1, 0], [{ type: "one-of", name, values: [HOSTILE] }])).toEqual(["a"]);
    },
  );

  it("was made by one model, and says so to another, until it is empty", async () => {
    await put(ADA, [entry("a", [1, 0])]);
    const other = {
      failure: { code: "invalid_configuration", message: expect.stringMatching(/`m` with 2 numbers.*`n`/) },
    };
    await expect(put(ADA, [entry("b", [1, 0])], "n")).rejects.toMatchObject(other);
    await expect(
      store.vectors.nearest(ADA, { vector: new Float32Array([1, 0]), model: "n", most: 1, filter: [] }),
    ).rejects.toMatchObject(other);
    const longer = { failure: { message: expect.stringMatching(/2 numbers.*3 numbers/) } };
    await expect(put(ADA, [entry("b", [1, 0, 0])])).rejects.toMatchObject(longer);
    await expect(nearest(ADA, [1, 0, 0])).rejects.toMatchObject(longer);
    await store.vectors.delete(ADA, { filter: [] });
    await put(ADA, [entry("b", [1, 0, 0])], "n");
  });

  it("is there after its process, and is exported and erased with its owner", async () => {
    const file = join(folder, "lasting.db");
    const before = await open(file);
    await before.vectors.put(ADA, { entries: [entry("a", [1, 0], { k: "v" })], model: MODEL, limit: MOST });
    await before.close();
    await store.close();
    store = await open(file);
    expect(await idsOf(ADA, [1, 0])).toEqual(["a"]);
    const rows = await exported("ada");
    expect(rows).toEqual([
      { table: "collections", owner: "ada", id: "same", model: "m", dimension: 2, created_at: expect.any(Number) },
      expect.objectContaining({ table: "collection_entries", id: "a", metadata: { k: "v" } }),
      { table: "collection_parts", owner: "ada", collection: "same", entry: "a", part: 1, text: "text of a" },
    ]);
    expect(await store.owners.erase("ada")).toMatchObject({
      ...{ collections: 1, collection_entries: 1, collection_parts: 1, collection_fields: 1 },
    });
    expect(await nearest(ADA, [1, 0])).toEqual([]);
    expect(await exported("ada")).toEqual([]);
  });
});

describe("a search", () => {
  it.each([1, 2, 3, 4, 5])("finds what brute force finds, over filters (seed %i)", async (seed) => {
    const random = randomOf(seed);
    const kinds = ["a", "b", "c"];
    const entries = Array.from({ length: 300 }, (_, n) => {
      const numbers = Array.from({ length: 24 }, () => random() - 0.5);
      const kind = kinds[Math.floor(random() * 3)] ?? "";
      return entry(`e${n}`, numbers, {
        kind,
        year: Math.floor(random() * 30),
        ...(random() < 0.5 && { tag: ["x", kind] }),
      });
    });
    for (let n = 0; n < entries.length; n += 60) await put(ADA, entries.slice(n, n + 60));
    const filters: readonly (readonly [readonly MetadataTest[], (metadata: Metadata) => boolean])[] = [
      [[], () => true],
      [[{ type: "one-of", name: "kind", values: ["a", "c"] }], ({ kind }) => kind !== "b"],
      [[{ type: "range", name: "year", gt: 5, lte: 20 }], ({ year }) => Number(year) > 5 && Number(year) <= 20],
      [
        [
          { type: "range", name: "year", gte: 10, lt: 25 },
          { type: "one-of", name: "tag", values: ["a"] },
        ],
        ({ year, tag }) => Number(year) >= 10 && Number(year) < 25 && Array.isArray(tag) && tag.includes("a"),
      ],
      [[{ type: "one-of", name: "year", values: ["7"] }], () => false],
    ];
    for (const [filter, passes] of filters) {
      const asked = Array.from({ length: 24 }, () => random() - 0.5);
      const vector = new Float32Array(asked);
      const best = entries
        .filter(({ metadata }) => passes(metadata))
        .map(({ id, parts }) => ({ id, score: cosine(vector, parts[0]?.vector ?? vector) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 10);
      expect(await idsOf(ADA, asked, filter, 10)).toEqual(best.map(({ id }) => id));
    }
  });

  it("finds the same where there are more vectors than one slice has", async () => {
    const dimension = 8_192;
    const random = randomOf(9);
    const entries = Array.from({ length: 200 }, (_, n) =>
      entry(
        `e${n}`,
        Array.from({ length: dimension }, () => random() - 0.5),
      ),
    );
    for (let n = 0; n < entries.length; n += 100) await put(ADA, entries.slice(n, n + 100), MODEL, 2_000);
    const asked = Array.from({ length: dimension }, () => random() - 0.5);
    const vector = new Float32Array(asked);
    const best = entries
      .map(({ id, parts }) => ({ id, score: cosine(vector, parts[0]?.vector ?? vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 7);
    expect(await idsOf(ADA, asked, [], 7)).toEqual(best.map(({ id }) => id));
  });

  it("is refused where the store was opened without vectors, which takes no extension", async () => {
    await store.close();
    store = await SqliteStore.open({ ...STORE, clock: new ManualClock() });
    await put(ADA, [entry("a", [1])]);
    await expect(nearest(ADA, [1])).rejects.toMatchObject({ failure: { code: "invalid_configuration" } });
  });
});

describe("memories", () => {
  const put = (owner: string, id: string, text: string) => store.memories.put({ owner, id, text });
  const KIND = { model: MODEL, dimension: 2 };
  const near = (owner: string, numbers: readonly number[], model = MODEL) =>
    store.memories.nearest(owner, { model, vector: new Float32Array(numbers) }, 5);

  it("wait for a vector of the model that is asked, and are found by it, nearest first", async () => {
    for (const id of ["1", "2", "3"]) await put("ada", id, `fact ${id}`);
    await put("bob", "1", "fact of bob");
    const waiting = await store.memories.withoutVector("ada", KIND, 10);
    expect(waiting.map(({ text }) => text).toSorted()).toEqual(["fact 1", "fact 2", "fact 3"]);
    const vectors = waiting.map(({ id }) => new Float32Array([1, Number(id)]));
    await store.memories.setVectors(waiting, KIND, vectors);
    expect(await store.memories.withoutVector("ada", KIND, 10)).toEqual([]);
    expect((await near("ada", [0, 1])).map(({ id }) => id)).toEqual(["3", "2", "1"]);
    expect(await near("bob", [0, 1])).toEqual([]);
    // Of another model, or of other lengths, they are none.
    expect(await near("ada", [0, 1], "n")).toEqual([]);
    expect(await near("ada", [0, 1, 0])).toEqual([]);
    expect(await store.memories.withoutVector("ada", { ...KIND, model: "n" }, 2)).toHaveLength(2);
  });

  it("have none of a text that they no longer say, nor once they are gone", async () => {
    await put("ada", "1", "old");
    await put("ada", "2", "gone");
    const before = await store.memories.withoutVector("ada", KIND, 10);
    await put("ada", "1", "new");
    await store.memories.delete({ owner: "ada", id: "2" });
    await store.memories.setVectors(
      before,
      KIND,
      before.map(() => new Float32Array([1, 0])),
    );
    expect(await near("ada", [1, 0])).toEqual([]);
    const [now] = await store.memories.withoutVector("ada", KIND, 10);
    expect(now?.text).toBe("new");
    await store.memories.setVectors(now ? [now] : [], KIND, [new Float32Array([1, 0])]);
    expect(await near("ada", [1, 0])).toHaveLength(1);
    await put("ada", "1", "newer");
    expect(await near("ada", [1, 0])).toEqual([]);
  });
});
