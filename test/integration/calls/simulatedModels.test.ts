// The gateway before simulated models: calls in every format of the catalogue, and each fault by its name.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ChatCompletion } from "openai/resources";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { CATALOGUE, type SimulatedTurn, simulateModel } from "../../support/simulateModel.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const CALL = { name: "weather", arguments: { city: "Oslo" } };
const TOOL = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

let turn: SimulatedTurn = {};
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(simulateModel(() => turn));
  const operatorModels = CATALOGUE.map((format) => ({ match: [format], formats: [format], why: "a test" }));
  const retries = { attempts: 2, minWaitMs: 1, maxWaitMs: 1 };
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels, retries } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function ask(played: SimulatedTurn, model: string, stream: boolean): Promise<ChatCompletion> {
  turn = played;
  const asked = { model, messages: [{ role: "user" as const, content: "How is it in Oslo?" }], tools: [TOOL] };
  const { chat } = gateway.client();
  return stream ? await chat.completions.stream(asked).finalChatCompletion() : await chat.completions.create(asked);
}

function callsOf({ choices }: ChatCompletion): readonly object[] {
  return (choices[0]?.message.tool_calls ?? []).flatMap((call) =>
    call.type === "function" ? [{ name: call.function.name, arguments: JSON.parse(call.function.arguments) }] : [],
  );
}

describe("a format of the catalogue", () => {
  it.each(CATALOGUE)("%s becomes tool_calls", async (format) => {
    const answer = await ask({ calls: [CALL], format }, format, false);
    expect(callsOf(answer)).toEqual([CALL]);
    expect(answer.choices[0]).toMatchObject({ finish_reason: "tool_calls" });
  });
});

describe.each([true, false])("a fault of an upstream (stream: %s)", (stream) => {
  it.each([
    ["leak", { fault: "leak" }],
    ["wrong-closer", { fault: "wrong-closer" }],
    ["drip", { format: "qwen3-xml", fault: "drip" }],
    ["refusal of tools", { format: "hermes-json", fault: "refusal" }],
    ["429", { fault: "429" }],
  ] as const)("%s still gives the call", async (name, played) => {
    expect(callsOf(await ask({ calls: [CALL], ...played }, name, stream))).toEqual([CALL]);
  });

  it("cut gives no call", async () => {
    const answer = await ask({ calls: [CALL], format: "hermes-json", fault: "cut" }, "cut", stream);
    expect(callsOf(answer)).toEqual([]);
    expect(answer.choices[0]?.finish_reason).toBe("length");
  });

  it("dying-stream is an error, and no call", async () => {
    await expect(
      ask({ calls: [CALL], format: "hermes-json", fault: "dying-stream" }, "dying", stream),
    ).rejects.toThrow();
  });
});
