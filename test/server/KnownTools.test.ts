// Lists of tools that come again: the same answer as at the first time, for the same price, and to the same caller only.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonValue } from "../../src/core/messages.ts";
import { schemaBudget } from "../../src/server/checkToolSchema.ts";
import { KnownTools } from "../../src/server/KnownTools.ts";
import { readChatRequest } from "../../src/server/wires/chatCompletions/readChatRequest.ts";
import { LIMITS } from "../support/defaults.ts";
import { ASK } from "./testApp.ts";

const tool = (name: string, parameters: JsonValue = { type: "object" }) => ({
  type: "function",
  function: { name, parameters },
});

function reader(knownTools: KnownTools | undefined, schemaSteps = LIMITS.schemaSteps) {
  return (tools: JsonValue, caller = "one") =>
    readChatRequest(structuredClone({ ...ASK, tools }), {
      id: "r",
      caller: { name: caller, can: ["ask"] },
      wishes: {},
      limits: { ...LIMITS, schemaSteps },
      gatewayTools: false,
      routeFields: [],
      knownTools,
    }).then(({ chat }) => chat.tools);
}

describe("a list of tools that comes again", () => {
  it("is the very list of the time before", async () => {
    const read = reader(new KnownTools());
    const first = await read([tool("a"), tool("b")]);
    expect(await read([tool("a"), tool("b")])).toBe(first);
    expect(await read([tool("b"), tool("a")])).not.toBe(first);
    expect(await read([tool("a"), tool("b")])).toBe(first);
  });

  it("is another caller's own, so that no time tells what others send", async () => {
    const read = reader(new KnownTools());
    const first = await read([tool("a")], "one");
    const other = await read([tool("a")], "two");
    expect(other).toEqual(first);
    expect(other).not.toBe(first);
  });

  it("is read anew where anything in it is different", async () => {
    const read = reader(new KnownTools());
    const changed = [{ type: "object", properties: { a: { type: "string" } } }, { title: "x", type: "object" }, null];
    for (const parameters of changed) {
      const before = await read([tool("a")]);
      const after = await read([tool("a", parameters)]);
      expect(after).not.toBe(before);
      expect(after).toEqual(await reader(undefined)([tool("a", parameters)]));
    }
  });

  it("takes as many steps of the request's budget as at the first time", async () => {
    const known = new KnownTools();
    const list = { key: "k", sent: [1], read: () => [] };
    const spending = (steps: number) => {
      const budget = schemaBudget(10);
      known.specs({
        ...list,
        budget,
        read: () => {
          budget.left -= steps;
          return [];
        },
      });
      return budget.left;
    };
    expect([spending(7), spending(99)]).toEqual([3, 3]);
    const poor = { limit: 10, left: 6 };
    known.specs({ ...list, budget: poor });
    expect(poor.left).toBe(6);
  });

  it("is forgotten where many others came since, and never kept where it is very long", async () => {
    const read = reader(new KnownTools());
    const first = await read([tool("a")]);
    for (let n = 0; n < 255; n += 1) await read([tool(`other_${n}`)]);
    expect(await read([tool("a")])).toBe(first);
    for (let n = 0; n < 256; n += 1) await read([tool(`other_${n}`)]);
    expect(await read([tool("a")])).not.toBe(first);
    const long = [tool("b", { type: "object", description: "x".repeat(256_000), title: "y".repeat(6_000) })];
    expect(await read(long)).not.toBe(await read(long));
  });
});

describe("a request's tools", () => {
  const schema = fc.constantFrom<JsonValue>(
    { type: "object" },
    { type: "object", properties: { a: { type: "string" } } },
    { properties: { a: { type: "string" } }, type: "object" },
    { type: "object", properties: { a: { enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] } } },
    { type: "array" },
    { $ref: "http://x/y" },
    null,
  );
  const tools = fc.array(fc.tuple(fc.constantFrom("a", "b", "c d"), schema), { maxLength: 3 });

  it("are read or refused as where nothing is remembered", async () => {
    const known = reader(new KnownTools(), 20);
    const fresh = reader(undefined, 20);
    const told = (reading: Promise<unknown>) => reading.catch((error: Error) => error.message);
    const property = fc.asyncProperty(tools, async (entries) => {
      const list = entries.map(([name, parameters]) => tool(name, parameters));
      expect(await told(known(list))).toEqual(await told(fresh(list)));
    });
    await fc.assert(property, { numRuns: 1_000 });
  });
});
