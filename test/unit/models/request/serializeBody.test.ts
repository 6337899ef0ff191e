// What goes up as text is the body, whatever was remembered of its tools.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonObject, JsonValue, ToolSpec } from "../../../../src/core/messages.ts";
import { toWireTool } from "../../../../src/models/request/chatMessages.ts";
import { serializeBody } from "../../../../src/models/request/serializeBody.ts";
import { TIDE_TOOL } from "../../../support/modelRequest.ts";
import { turnsWhile } from "../../../support/turnsWhile.ts";

const never = new AbortController().signal;

/** As what it is read again, twice: the second time what was remembered is used. */
async function readTwice(body: JsonObject): Promise<readonly unknown[]> {
  const read = async (): Promise<unknown> => JSON.parse(await serializeBody(body, never));
  return [await read(), await read()];
}

function plain(body: JsonObject): unknown {
  return JSON.parse(JSON.stringify(body));
}

describe("bodyText", () => {
  it("is the text of the same value as JSON.stringify writes, whatever stands in the body and among its tools", async () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    const tools = fc.oneof(json, fc.array(json), fc.array(fc.dictionary(fc.string(), json)));
    const body = fc
      .tuple(fc.dictionary(fc.string(), json), fc.option(tools))
      .map(([rest, offered]): JsonObject => ({ ...rest, ...(offered !== null && { tools: offered }) }));
    await fc.assert(
      fc.asyncProperty(body, async (any) => {
        expect(await readTwice(any)).toEqual([plain(any), plain(any)]);
      }),
    );
  });

  it("says of tools that other requests had too what their own request says", async () => {
    const tools = Array.from({ length: 6 }, (_, n): ToolSpec => ({ ...TIDE_TOOL, name: `tool_${n}` })).map(toWireTool);
    const offered = fc.shuffledSubarray(tools);
    await fc.assert(
      fc.asyncProperty(offered, async (some) => {
        const body = { model: "m", tools: some, stream: true };
        expect(JSON.parse(await serializeBody(body, never))).toEqual(plain(body));
      }),
    );
  });

  it("writes a tool as it is, though its text holds marks of JSON or names of the prototype", async () => {
    const parameters = JSON.parse('{"__proto__": {"a": 1}, "properties": {"]}": {"description": "\\"],\\ud83d"}}}');
    const tool = toWireTool({ name: "odd", description: '"]}', parameters, extra: { cache_control: { type: "x" } } });
    const body = { messages: [], tools: [tool, tool] };
    expect(await readTwice(body)).toEqual([plain(body), plain(body)]);
  });

  it("gives the loop its turns where tools are long or many, however often they were sent", async () => {
    const long = toWireTool({ name: "long", description: "x".repeat(1_500_000) });
    const many = Array.from({ length: 3_000 }, (_, n) => toWireTool({ name: `t${n}`, description: "y".repeat(500) }));
    for (const body of [{ tools: [long] }, { tools: many }, { tools: many }]) {
      expect(await turnsWhile(() => serializeBody(body, never))).toBeGreaterThanOrEqual(4);
      expect((await serializeBody(body, never)) === JSON.stringify(body)).toBe(true);
    }
  });
});

describe("wireTool", () => {
  it("gives one object for one tool, and another for its equal", () => {
    expect(toWireTool(TIDE_TOOL)).toBe(toWireTool(TIDE_TOOL));
    expect(toWireTool({ ...TIDE_TOOL })).not.toBe(toWireTool(TIDE_TOOL));
    expect(toWireTool({ ...TIDE_TOOL })).toEqual(toWireTool(TIDE_TOOL));
  });
});
