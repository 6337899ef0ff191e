import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  encodeJsonCooperatively,
  encodeTextCooperatively,
  stringifyCooperatively,
} from "../../../../src/core/async/stringifyCooperatively.ts";
import type { JsonValue } from "../../../../src/core/messages.ts";
import { turnsWhile } from "../../../support/turnsWhile.ts";

async function allBytes(text: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const bytes of encodeTextCooperatively(text)) pieces.push(bytes);
  return Buffer.concat(pieces);
}

const long = '"é😀\n'.repeat(200_000);

describe("a large JSON text", () => {
  it.each<[string, JsonValue]>([
    ["a string", long],
    ["a string of halves of characters", "\ud83d".repeat(600_000)],
    ["a list of many", Array.from({ length: 100_000 }, (_, i) => [i, null, true, {}])],
    ["an object in objects", { a: { b: [{ c: long, d: [] }, long], e: "" }, f: 1.5e300 }],
    [
      "names that are numbers or the prototype's",
      JSON.parse(`{"b": 1, "7": "${"x".repeat(9)}", "__proto__": [${"{},".repeat(90_000)}1]}`),
    ],
    ["messages", { messages: Array.from({ length: 4_096 }, () => ({ role: "user", content: "y".repeat(500) })) }],
  ])("is what JSON.stringify writes: %s", async (_name, value) => {
    const text = JSON.stringify(value);
    expect((await stringifyCooperatively(value)) === text).toBe(true);
    expect(Buffer.concat(await encodeJsonCooperatively(value)).equals(Buffer.from(text))).toBe(true);
  });

  it("is never held as a whole where its bytes are wanted", async () => {
    const slices = await encodeJsonCooperatively(Array.from({ length: 30_000 }, () => ({ text: "x".repeat(100) })));
    expect(Math.max(...slices.map(({ length }) => length))).toBeLessThan(1_000_000);
  });

  it("is what JSON.stringify writes of any value beside a long one, members without a value left out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (any) => {
        const value = { any, gone: undefined, beside: "x".repeat(262_145) } as unknown as JsonValue;
        expect((await stringifyCooperatively(value)) === JSON.stringify(value)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("gives the loop a turn each quarter of a megabyte", async () => {
    expect(await turnsWhile(() => stringifyCooperatively({ a: "x".repeat(2_621_440) }))).toBeGreaterThanOrEqual(9);
  });

  it.each<[string, JsonValue, number]>([
    ["members", { wide: Object.fromEntries(Array.from({ length: 49_000 }, (_, i) => [`key${i}`, i])) }, 4],
    ["short items", Array.from({ length: 200_000 }, () => ({ type: "text", text: "" })), 12],
    ["listed words", { enum: Array.from({ length: 90_000 }, (_, i) => `value ${i}`) }, 5],
  ])("gives the loop turns where %s are many and short, and no turn for each", async (_name, value, least) => {
    const turns = await turnsWhile(() => stringifyCooperatively(value));
    expect(turns).toBeGreaterThanOrEqual(least);
    expect(turns).toBeLessThan(10 * least);
  });

  it("ends with the signal's reason", async () => {
    await expect(stringifyCooperatively({ long }, AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
  });
});

describe("the bytes of a large text", () => {
  it.each([long, "\ud83d".repeat(600_000), "", "x"])("are those of the whole", async (text) => {
    expect((await allBytes(text)).equals(Buffer.from(text))).toBe(true);
  });

  it("are made with turns of the loop between them", async () => {
    expect(await turnsWhile(() => allBytes("x".repeat(2_621_440)))).toBeGreaterThanOrEqual(9);
  });
});
