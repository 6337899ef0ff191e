// One model stream, read batch by batch: what of a batch leaves with it, and who is told when no more is wanted.
import { describe, expect, it } from "@jest/globals";
import type { AttemptEvent } from "../../../../src/agents/Agent.ts";
import type { AttemptReading } from "../../../../src/agents/attempt/AttemptReader.ts";
import { readAttempt } from "../../../../src/agents/attempt/readAttempt.ts";
import type { SinkSignal } from "../../../../src/core/events/EventSink.ts";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import { ModelCapabilityDetector } from "../../../../src/models/capabilities/ModelCapabilityDetector.ts";
import { never } from "../../../support/agents/gateway.ts";
import { NO_EVIDENCE } from "../../../support/noEvidence.ts";

const model = new ModelCapabilityDetector({ operator: [], shipped: [], evidence: NO_EVIDENCE }).detect({
  model: "m",
  key: "test/m",
});
const READING: AttemptReading = {
  text: {
    model,
    tools: [{ name: "search" }],
    callsAllowed: true,
    toolMode: "native",
    heldToCall: false,
    reasoningOpened: false,
    ids: { callId: () => "drawn" },
    captureChars: 262_144,
  },
  output: { type: "text" },
  usedIds: [],
  ownIds: false,
  parse: "on",
  signal: never,
  clock: { monotonic: () => 0 },
};
const opened: ModelEvent = { type: "opened", retries: 0 };
const end: ModelEvent = { type: "end", finishReason: "stop" };
const says = (text: string): ModelEvent => ({ type: "text", text });

function words(events: readonly AttemptEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : event.type)).join("|");
}

/** Gives the batches until enough was said, and tells what came of each. */
async function read(
  batches: readonly (readonly ModelEvent[])[],
  taken: SinkSignal = undefined,
  more: Partial<AttemptReading> = {},
) {
  const heard: (readonly AttemptEvent[])[] = [];
  const answers: SinkSignal[] = [];
  await readAttempt(
    async (take) => {
      for (const batch of batches) {
        const said = await take(batch);
        answers.push(said);
        if (said === "enough") return;
      }
    },
    { ...READING, ...more },
    (events) => {
      heard.push(events);
      return taken;
    },
  );
  return { heard, answers };
}

describe("reading a model's stream", () => {
  it("hands on what is certain of a batch as one batch, at once", async () => {
    const { heard } = await read([
      [opened, says("Yes, "), says("it is")],
      [says(" there."), end],
    ]);
    expect(heard.map(words)).toEqual(["opened|Yes, |it is", " there.|end"]);
  });

  it("hands on nothing of a batch that is only held, and all of it with the batch that decides it", async () => {
    const { heard } = await read([[opened], [says("a <tool")], [says("box> is a box"), end]]);
    expect(heard.map(words)).toEqual(["opened", "a ", "<toolbox> is a box|end"]);
  });

  it("leaves off at the end: what its source has behind that is not asked for", async () => {
    const { answers } = await read([[opened, says("a"), end], [says("b")]]);
    expect(answers).toEqual(["enough"]);
  });

  it("leaves off where its taker has had enough", async () => {
    const { heard, answers } = await read([[opened], [says("a")], [end]], "enough");
    expect([heard.length, answers]).toEqual([1, ["enough"]]);
  });

  it("leaves off where the model makes one call over and over, with an end of its own", async () => {
    const call = says('<tool_call>{"name": "search", "arguments": {}}</tool_call>');
    const { heard, answers } = await read([[opened], ...Array.from({ length: 50 }, () => [call])]);
    expect(answers).toHaveLength(9);
    expect(heard.flat().filter(({ type }) => type === "call")).toHaveLength(7);
    expect(heard.flat().at(-1)).toEqual({ type: "end", finishReason: null });
  });

  it("fails where its source says nothing of an end", async () => {
    const { heard } = await read([[opened, says("a")]]);
    expect(heard.flat().at(-1)).toMatchObject({ type: "failed", failure: { code: "internal_error" } });
  });

  it("reads long work in slices, and hands on each as it is done", async () => {
    const { heard } = await read([[opened, says("word ".repeat(200_000)), end]]);
    expect(heard.length).toBeGreaterThan(3);
    const text = heard
      .flat()
      .map((event) => (event.type === "text" ? event.text : ""))
      .join("");
    expect(text).toBe("word ".repeat(200_000));
  });
});
