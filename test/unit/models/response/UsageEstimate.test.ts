import { describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import type { ModelRequest } from "../../../../src/models/ModelClient.ts";
import { UsageEstimate } from "../../../../src/models/response/UsageEstimate.ts";
import { pulled, pushed } from "../../../support/events.ts";
import { drain, modelRequest, TIDE_TOOL } from "../../../support/modelRequest.ts";

async function* events(...all: readonly ModelEvent[]): AsyncGenerator<ModelEvent, void, undefined> {
  yield* all;
}

function estimateUsage(all: AsyncIterable<ModelEvent>, request: ModelRequest): AsyncIterable<ModelEvent> {
  const estimate = new UsageEstimate(request);
  return pulled((take) => pushed(all, async (batch) => take(await estimate.push(batch))));
}

describe("the usage of an answer", () => {
  it("stays what the upstream said", async () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    const end = { type: "end", finishReason: "stop", usage } as const;
    expect(await drain(estimateUsage(events(end), modelRequest()))).toEqual([end]);
  });

  it("is estimated from text, reasoning, calls and tools where the upstream said none, and marked", async () => {
    const request = modelRequest({ messages: [{ role: "user", content: "x".repeat(40) }] });
    const said: readonly ModelEvent[] = [
      { type: "reasoning", text: "12345678" },
      { type: "text", text: "1234" },
      { type: "call-fragment", index: 0, name: "ab", arguments: "{}" },
      { type: "end", finishReason: "stop" },
    ];
    expect((await drain(estimateUsage(events(...said), request))).at(-1)).toEqual({
      type: "end",
      finishReason: "stop",
      usage: { promptTokens: 10, completionTokens: 4, totalTokens: 14 },
      usageEstimated: true,
    });
    const withTools = await drain(estimateUsage(events(...said), { ...request, tools: [TIDE_TOOL] }));
    expect(withTools.at(-1)).toMatchObject({
      usage: { promptTokens: 10 + Math.ceil(JSON.stringify([TIDE_TOOL]).length / 4) },
    });
  });

  it("of an answer that failed is nobody's guess", async () => {
    const failed = { type: "failed", failure: { fault: "upstream", code: "upstream_error", message: "" } } as const;
    expect(await drain(estimateUsage(events(failed), modelRequest()))).toEqual([failed]);
  });
});
