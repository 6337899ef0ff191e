// What a body of very many small values costs everybody else: turns of the event loop are counted, no clock.
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { readMessages } from "../../../../src/server/apis/chatCompletions/readMessages.ts";
import { createJsonBodyParser } from "../../../../src/server/body/jsonBody.ts";
import { checkShape, listField } from "../../../../src/server/validation/checkShape.ts";
import { LIMITS } from "../../../support/defaults.ts";
import { turnsWhile } from "../../../support/turnsWhile.ts";

/** Those that were had while a body was parsed. */
async function turnsOf(body: unknown): Promise<number> {
  const parse = createJsonBodyParser({ depth: LIMITS.jsonDepth, keys: LIMITS.jsonKeys, values: LIMITS.jsonValues });
  const bytes = Buffer.from(JSON.stringify(body));
  let parsed: unknown;
  const turns = await turnsWhile(async () => {
    parsed = await parse(bytes, "somebody");
  });
  expect(parsed).toEqual(body);
  return turns;
}

describe("a body of JSON", () => {
  it("that has 45,000 keys in half a megabyte is parsed in a turn of the loop of its own", async () => {
    expect(await turnsOf(Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`p${i}`, {}])))).toBe(5);
  });

  it("that has 200,000 values is parsed in a turn of its own", async () => {
    expect(await turnsOf(Array.from({ length: 200_000 }, () => 1))).toBe(4);
  });

  it("as clients send it all day waits for no turn of the loop", async () => {
    const messages = Array.from({ length: 400 }, () => ({ role: "user", content: "y".repeat(200) }));
    expect(await turnsOf({ model: "m", messages })).toBe(0);
  });
});

describe("the messages of a request", () => {
  const message = { role: "user", content: "Go on." };

  it("are read 512 in a turn of the loop", async () => {
    expect(await turnsWhile(() => readMessages(Array.from({ length: 4_096 }, () => message)))).toBe(7);
  });

  it("of an ordinary conversation wait for no turn", async () => {
    expect(await turnsWhile(() => readMessages(Array.from({ length: 512 }, () => message)))).toBe(0);
  });

  it("are refused at the first that does not fit, by its place", async () => {
    const values = [message, { role: "assistant", content: null, tool_calls: [{ id: "" }] }, { role: "judge" }];
    await expect(readMessages(values)).rejects.toThrow(/`messages\[1\]\.tool_calls\[0\]\.id` is refused/);
    await expect(readMessages(values.slice(2))).rejects.toThrow(/`messages\[0\]\.role` is refused: must have a `role`/);
  });
});

describe("a list of very many entries", () => {
  const shape = listField(z.looseObject({ type: z.string() }));

  it("gives the same result for a list that comes again, if it may", () => {
    const entries = [{ type: "a" }];
    expect(checkShape(shape, entries)).not.toBe(checkShape(shape, entries));
    const again = listField(z.looseObject({ type: z.string() }), { comesAgain: true });
    expect(checkShape(again, entries)).toBe(checkShape(again, entries));
    expect(checkShape(again, [...entries])).not.toBe(checkShape(again, entries));
  });

  it("is held against its shape up to the first that does not fit, and the fault names it", () => {
    const poisoned: unknown = JSON.parse('{ "type": "b", "__proto__": {} }');
    expect(checkShape(shape, [{ type: "a" }, poisoned])).toEqual([{ type: "a" }, { type: "b" }]);
    expect(() => checkShape(z.object({ parts: shape }), { parts: [{ type: "a" }, { type: 1 }] })).toThrow(
      /`parts\[1\]\.type` is refused/,
    );
    expect(() => checkShape(z.object({ parts: shape }), { parts: "a" })).toThrow("`parts` is refused: must be a list.");
  });
});
