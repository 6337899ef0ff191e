// Lists of tools that come again: the same answer as at the first time, for the same price, and to the same caller only.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runToCompletion } from "../../../src/core/async/yieldToEventLoop.ts";
import type { JsonValue } from "../../../src/core/messages.ts";
import type { Caller } from "../../../src/core/requests.ts";
import { readChatRequest } from "../../../src/server/apis/chatCompletions/readChatRequest.ts";
import { readKnownTools, type WireTool } from "../../../src/server/apis/chatCompletions/toolSpecs.ts";
import { type JsonBounds, JsonScan, UNBOUNDED } from "../../../src/server/body/jsonLimits.ts";
import { checkLimits, parseWithCachedTools } from "../../../src/server/fastpath/parseWithToolCache.ts";
import { ToolListCache } from "../../../src/server/fastpath/ToolListCache.ts";
import { createSchemaBudget } from "../../../src/server/validation/checkToolSchema.ts";
import { LIMITS } from "../../support/defaults.ts";
import { runsOf } from "../../support/sample.ts";
import { ASK } from "../../support/testApp.ts";

const tool = (name: string, parameters: JsonValue = { type: "object" }) => ({
  type: "function",
  function: { name, parameters },
});

function look(text: string, known: ToolListCache, { bounds = UNBOUNDED, caller = "one" } = {}) {
  return runToCompletion(checkLimits(text, bounds, (at) => known.findList(text, at, caller)));
}

function reader(known = new ToolListCache(), schemaSteps = LIMITS.schemaSteps) {
  const limits = { ...LIMITS, schemaSteps };
  return async (tools: JsonValue, caller = "one") => {
    const text = JSON.stringify({ ...ASK, tools });
    const body = parseWithCachedTools(text, look(text, known, { caller }).tools);
    const who: Caller = { name: caller, can: ["ask"] };
    const context = { id: "r", caller: who, wishes: {}, limits, gatewayTools: false, routeFields: [] };
    return (await readChatRequest(body, context)).chat.tools;
  };
}

describe("a list of tools that comes again", () => {
  it("is the very list of the time before", async () => {
    const read = reader();
    const first = await read([tool("a"), tool("b")]);
    expect(await read([tool("a"), tool("b")])).toBe(first);
    expect(await read([tool("b"), tool("a")])).not.toBe(first);
    expect(await read([tool("a"), tool("b")])).toBe(first);
  });

  it("is another caller's own, so that no time tells what others send", async () => {
    const read = reader();
    const first = await read([tool("a")], "one");
    const other = await read([tool("a")], "two");
    expect(other).toEqual(first);
    expect(other).not.toBe(first);
  });

  it("is read anew where anything in it is different", async () => {
    const read = reader();
    const changed = [{ type: "object", properties: { a: { type: "string" } } }, { title: "x", type: "object" }, null];
    for (const parameters of changed) {
      const before = await read([tool("a")]);
      const after = await read([tool("a", parameters)]);
      expect(after).not.toBe(before);
      expect(after).toEqual(await reader()([tool("a", parameters)]));
    }
  });

  it("takes as many steps of the request's budget as at the first time", () => {
    const tools = [tool("a", { type: "object", properties: { b: { type: "string" } } })] as readonly WireTool[];
    const left = (): number => {
      const budget = createSchemaBudget(100);
      readKnownTools(tools, LIMITS, budget);
      return budget.remaining;
    };
    const first = left();
    expect(first).toBeLessThan(100);
    expect(left()).toBe(first);
    expect(() => readKnownTools(tools, LIMITS, { limit: 100, remaining: 1 })).toThrow(/schema_steps/);
  });

  it("is forgotten where many others came since, and never kept where it is very long", async () => {
    const read = reader();
    const first = await read([tool("a")]);
    for (let n = 0; n < 255; n += 1) await read([tool(`other_${n}`)]);
    expect(await read([tool("a")])).toBe(first);
    for (let n = 0; n < 256; n += 1) await read([tool(`other_${n}`)]);
    expect(await read([tool("a")])).not.toBe(first);
    const long = ["b", "c"].map((name) => tool(name, { type: "object", description: "x".repeat(131_072) }));
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
    const known = reader(new ToolListCache(), 20);
    const fresh = (list: JsonValue) => reader(new ToolListCache(), 20)(list);
    const told = (reading: Promise<unknown>) => reading.catch((error: Error) => error.message);
    const property = fc.asyncProperty(tools, async (entries) => {
      const list = entries.map(([name, parameters]) => tool(name, parameters));
      expect(await told(known(list))).toEqual(await told(fresh(list)));
    });
    await fc.assert(property, { numRuns: runsOf(1_000) });
  });
});

describe("a body around a list that is known", () => {
  const LIST = '[{"type":"function","function":{"name":"a","tools":[1]}}]';
  const known = (): ToolListCache => {
    const lists = new ToolListCache();
    look(`{"tools":${LIST}}`, lists);
    return lists;
  };

  it("is the value that its whole text has, wherever the list stands and whatever looks like one", () => {
    const part = fc.constantFrom(
      ...[
        `"tools":${LIST}`,
        `"tools" : \n${LIST}`,
        '"tools":[]',
        '"tools":null',
        '"\\u0074ools":7',
        `"a":{"tools":${LIST}}`,
      ],
      ...[
        `"b":"\\"tools\\":${LIST.replaceAll('"', '\\"')}"`,
        '"c":"tools"',
        `"x\\"tools":${LIST}`,
        `"d":[${LIST}]`,
        '"e":[1',
      ],
      ...[`"tools":${LIST.slice(0, -1)}`, `"tools":${LIST}1`, '"tools":["]"]', '"__proto__":{}'],
    );
    const told = (read: () => unknown) => {
      try {
        return JSON.stringify(read());
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.constantFrom("{", "[{", ""), (parts, open) => {
        const text = `${open}${parts.join(",")}}`;
        const lists = known();
        for (const _ of [1, 2]) {
          expect(told(() => parseWithCachedTools(text, look(text, lists).tools))).toBe(told(() => JSON.parse(text)));
        }
      }),
      { numRuns: runsOf(2_000) },
    );
  });

  it("is held to every bound as if the list were looked through", () => {
    const text = `{"a":[],"tools":${LIST},"b":[[1]]}`;
    const bounds = fc.record({ depth: fc.nat(6), keys: fc.nat(10), values: fc.nat(12) });
    fc.assert(
      fc.property(bounds, (limits: JsonBounds) => {
        const whole = new JsonScan(limits).feed(text);
        const around = look(text, known(), { bounds: limits }).beyond;
        expect(around === undefined).toBe(whole === undefined);
      }),
      { numRuns: runsOf(500) },
    );
    expect(look(text, known()).count).toBe(look(text, new ToolListCache()).count);
  });
});
