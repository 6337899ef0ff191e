// One server shared by many callers at once: every answer reaches the one who asked, and nobody else.
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { createMcpSources } from "../../../src/gateway/mcpSources.ts";
import { systemClock } from "../../../src/network/system.ts";
import type { Tool } from "../../../src/tools/Tool.ts";
import type { ToolSource } from "../../../src/tools/ToolSource.ts";
import { configOf, makePlace, type Place, toyCommand } from "../../support/mcp/mcpGateway.ts";

let place: Place;
let source: ToolSource | undefined;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await source?.close?.();
  place.remove();
});

const never = new AbortController().signal;

async function toolsOf(components: string): Promise<readonly Tool[]> {
  const servers = configOf(place, components).components.flatMap((one) => (one.type === "mcp" ? [one] : []));
  [source] = await createMcpSources(servers, {
    egress: { send: () => Promise.reject(new Error("Nothing is sent here.")) },
    clock: systemClock,
    random: () => 0,
    definitions: { agreeToFirst: async () => {} },
    holdMs: 1_000,
    observer: { observe: () => {} },
    matches: () => false,
    redact: (text) => text,
  });
  return (await source?.list(never)) ?? [];
}

it("1,000 calls at once, answered in another order, are never mixed", async () => {
  const tools = await toolsOf(`  - id: toy\n    type: mcp\n    command: ${toyCommand(place)}\n`);
  const late = tools.find(({ spec }) => spec.name === "toy.late");
  const words = Array.from({ length: 1_000 }, (_, at) => `word${at}`);
  const context = { run: "r", owner: "o", agent: "a", maySave: true, isKept: true, interactive: true, signal: never };
  const results = await Promise.all(
    words.map((word, at) =>
      late?.execute({ word, ms: (at * 7_919) % 200 }, { ...context, callId: `c${at}`, callKey: `c${at}` }),
    ),
  );
  expect(results).toEqual(words.map((word) => `late: ${word}`));
});
