// Results of tools that nest deeper than the stack has room: they stay text, or are an error in words.
import { describe, expect, it } from "@jest/globals";
import type { JsonValue } from "../../../src/core/messages.ts";
import { readHttpAnswer } from "../../../src/tools/http/readResponse.ts";
import { readCallResult } from "../../../src/tools/mcp/readCallResult.ts";

function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

async function answer(text: string) {
  async function* body() {
    yield Buffer.from(text);
  }
  const headers = { "content-type": "application/json" };
  const read = await readHttpAnswer({ status: 200, headers, body: body() });
  return "value" in read ? read.value : read;
}

describe("a service's answer", () => {
  it("stays text where its JSON nests 100,000 levels deep", async () => {
    expect(await answer(nested(100_000))).toBe(nested(100_000));
  });

  it("is a value where its JSON nests 500 levels deep", async () => {
    expect(JSON.stringify(await answer(nested(500)))).toBe(nested(500));
  });
});

describe("an MCP server's result", () => {
  it("is refused in words where it nests 100,000 levels deep", () => {
    const structuredContent: JsonValue = JSON.parse(nested(100_000));
    expect(() => readCallResult({ structuredContent })).toThrow("nested more than 512 levels deep");
  });

  it("is a value where it nests 500 levels deep", () => {
    const structuredContent: JsonValue = JSON.parse(nested(500));
    expect(JSON.stringify(readCallResult({ structuredContent }))).toBe(nested(500));
  });
});
