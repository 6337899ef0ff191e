// Log-probabilities of models that are asked in text: those of the text that its reader gets, and no others.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { delta, events, FakeUpstream, stream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let tokens: readonly string[] = [];
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start((received, response) => {
    const chunks = tokens.map((token) => {
      const logprobs = { content: [{ token, logprob: -0.5, bytes: null, top_logprobs: [] }] };
      return {
        ...delta({ content: token }),
        choices: [{ index: 0, delta: { content: token }, logprobs, finish_reason: null }],
      };
    });
    return stream(events(...chunks, delta({}, "stop")))(received, response);
  });
  const operatorModels = [{ match: ["in-text"], tools: "text", emulate: "hermes-json", why: "test" } as const];
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels } });
});
beforeEach(() => {
  upstream.requests.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const ASK = {
  model: "in-text",
  messages: [{ role: "user" as const, content: "How wide?" }],
  tools: [{ type: "function" as const, function: { name: "measure" } }],
  logprobs: true,
  top_logprobs: 0,
};

async function ask(streamed: boolean) {
  const { completions } = gateway.client().chat;
  const answer = streamed ? await completions.stream(ASK).finalChatCompletion() : await completions.create(ASK);
  return { choice: answer.choices[0], tokens: answer.choices[0]?.logprobs?.content?.map(({ token }) => token) };
}

describe.each([false, true])("log-probabilities in text mode (streamed: %s)", (streamed) => {
  it("are asked for, and stand beside the text that they are of", async () => {
    tokens = ["It ", "is ", "twelve."];
    expect(await ask(streamed)).toMatchObject({ choice: { message: { content: "It is twelve." } }, tokens });
    expect(upstream.requests[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 0 });
  });

  it("are left out for what was read as a call", async () => {
    tokens = ["Let ", "me ", "see. ", "<tool_call>", '{"name": "measure", ', '"arguments": {}}', "</tool_call>"];
    const answer = await ask(streamed);
    expect(answer.choice?.message.tool_calls).toHaveLength(1);
    expect(answer.tokens).toEqual(tokens.slice(0, 3));
  });
});
