// The caller's stop texts, over real HTTP: what goes up, what the gateway cuts itself, and what no stop text may cut.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

/** A model that goes on whatever it is told: what it says, in pieces. */
let pieces: readonly string[] = [];
let left = Promise.withResolvers<void>();
let endless = false;
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start((received, response) => {
    response.once("close", () => left.resolve());
    const deltas = pieces.map((content) => delta({ content }));
    if (endless) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(deltas.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
      return undefined;
    }
    if (received.body.stream === true) return stream(events(...deltas, delta({}, "length")))(received, response);
    const choices = [{ index: 0, message: { role: "assistant", content: pieces.join("") }, finish_reason: "length" }];
    return whole(200, "application/json", JSON.stringify({ id: "c", choices }))(received, response);
  });
  const row = (match: string, more: Partial<ModelProfile>): ModelProfile => ({
    match: [match],
    why: "test",
    ...more,
  });
  gateway = await startGateway({
    config: {
      ...configFor(upstream.baseUrl),
      operatorModels: [
        row("leaks", { formats: ["hermes-json"] }),
        row("in-text", { tools: "text", emulate: "hermes-json" }),
        row("native", { formats: [] }),
      ],
    },
  });
});
beforeEach(() => {
  upstream.requests.length = 0;
  left = Promise.withResolvers<void>();
  endless = false;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const messages = [{ role: "user" as const, content: "Go." }];
const parameters = { type: "object", properties: { code: { type: "string" } } };
const tools = [{ type: "function" as const, function: { name: "run", parameters } }];
const CALL = '<tool_call>\n{"name": "run", "arguments": {"code": "a\\nEND b"}}\n</tool_call>';

async function ask(params: Omit<Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, "stream">, streamed: boolean) {
  const { completions } = gateway.client().chat;
  const body = { model: "native", messages, ...params };
  const { choices } = streamed ? await completions.stream(body).finalChatCompletion() : await completions.create(body);
  return choices[0];
}

describe.each([false, true])("stop texts (streamed: %s)", (streamed) => {
  it("go up, four at most, and the answer ends before the first of all of them", async () => {
    pieces = ["one ", "two s", "ix t", "hree"];
    const stop = ["never", "not", "nor", "none", "six", "three"];
    expect(await ask({ stop }, streamed)).toMatchObject({ message: { content: "one two " }, finish_reason: "stop" });
    expect(upstream.requests[0]?.body.stop).toEqual(["never", "not", "nor", "none"]);
  });

  it.each(["leaks", "in-text"])(
    "cut no call that a model writes as text, and stay here for that: %s",
    async (model) => {
      pieces = ["Look. ", ...(CALL.match(/.{1,7}/gs) ?? []), "\nEND of it"];
      const choice = await ask({ model, tools, stop: ["END", "}"] }, streamed);
      expect(choice?.message.tool_calls).toMatchObject([{ function: { arguments: '{"code": "a\\nEND b"}' } }]);
      expect([choice?.message.content?.trim(), choice?.finish_reason]).toEqual(["Look.", "tool_calls"]);
      expect(JSON.stringify(upstream.requests[0]?.body.stop ?? [])).not.toContain("END");
    },
  );

  it.each(["leaks", "in-text"])(
    "end what such a model says beside its calls, and no call is read behind them: %s",
    async (model) => {
      pieces = ["It is ", "done.\nEN", "D\n", CALL];
      const choice = await ask({ model, tools, stop: "END" }, streamed);
      expect(choice).toMatchObject({
        message: { content: expect.stringMatching(/^It is done\.\n?$/) },
        finish_reason: "stop",
      });
      expect(choice?.message.tool_calls ?? []).toEqual([]);
    },
  );

  it("close an upstream that would go on", async () => {
    endless = true;
    pieces = ["one ", "END"];
    expect(await ask({ model: "in-text", tools, stop: ["END"] }, streamed)).toMatchObject({
      message: { content: "one " },
    });
    await left.promise;
  });

  it("go up with no call to cut: without tools, and where none may be called", async () => {
    pieces = ["fine"];
    for (const rest of [{}, { tools, tool_choice: "none" as const }]) {
      await ask({ model: "in-text", stop: ["END"], ...rest }, streamed);
      expect(upstream.requests.at(-1)?.body.stop).toEqual(["END"]);
    }
  });
});

describe("more than sixteen stop texts", () => {
  it("are refused", async () => {
    const asked = ask({ stop: Array.from({ length: 17 }, (_, n) => `s${n}`) }, false);
    await expect(asked).rejects.toMatchObject({ status: 400, param: "stop" });
  });
});
