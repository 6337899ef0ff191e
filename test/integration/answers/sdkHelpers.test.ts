// What the official client makes of answers by itself: parsed objects, parsed arguments, loops of tools. Against models that call by the wire, leak, or are asked in text.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const Reading = z.object({ place: z.string(), metres: z.number() });
const CALL = '{"name": "tide", "arguments": {"place": "Hull"}}';
/** As models write it: in a fence, and the number as a text. */
const ANSWER = 'Here it is:\n```json\n{"place": "Hull", "metres": "4.5"}\n```';

let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start((received, response) => {
    const { body } = received;
    const sent = JSON.stringify(body.messages);
    const mayCall = (body.tools !== undefined || sent.includes("tide")) && !sent.includes("high at six");
    const native = body.model === "native";
    const call = {
      index: 0,
      id: "call_a",
      type: "function",
      function: { name: "tide", arguments: '{"place": "Hull"}' },
    };
    const content = mayCall ? `<tool_call>\n${CALL}\n</tool_call>` : ANSWER;
    const message: JsonObject = mayCall && native ? { content: null, tool_calls: [call] } : { content };
    const finish = mayCall && native ? "tool_calls" : "stop";
    if (body.stream)
      return stream(events(delta({ role: "assistant", ...message }), delta({}, finish)))(received, response);
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }];
    return whole(200, "application/json", JSON.stringify({ id: "c", choices }))(received, response);
  });
  const rows: readonly ModelProfile[] = [
    { match: ["native"], why: "test" },
    { match: ["leaks"], formats: ["hermes-json"], why: "test" },
    { match: ["in-text"], tools: "text", emulate: "hermes-json", why: "test" },
  ];
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels: rows } });
});
beforeEach(() => {
  upstream.requests.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const messages = [{ role: "user" as const, content: "How high is the water?" }];
const response_format = zodResponseFormat(Reading, "reading");
const tide = zodFunction({
  name: "tide",
  parameters: z.object({ place: z.string() }),
  function: ({ place }) => `${place}: high at six`,
});

describe.each(["native", "leaks", "in-text"])("the official client's helpers with a model of the kind %s", (model) => {
  it("parse an object of a schema, alone and as each of several answers", async () => {
    const { choices } = await gateway.client().chat.completions.parse({ model, messages, response_format, n: 2 });
    expect(choices.map(({ index, message }) => [index, message.parsed])).toEqual([
      [0, { place: "Hull", metres: 4.5 }],
      [1, { place: "Hull", metres: 4.5 }],
    ]);
  });

  it("parse it from a stream, too", async () => {
    const answer = gateway.client().chat.completions.stream({ model, messages, response_format });
    expect((await answer.finalChatCompletion()).choices[0]?.message.parsed).toEqual({ place: "Hull", metres: 4.5 });
  });

  it("parse the arguments of a call beside a schema for the answer", async () => {
    const params = { model, messages, response_format, tools: [tide] };
    const { choices } = await gateway.client().chat.completions.parse(params);
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { parsed_arguments: { place: "Hull" } } }]);
    expect(choices[0]?.message.parsed).toBeNull();
  });

  it("run a loop of tools to an object of the schema, streamed and not", async () => {
    const params = { model, messages, response_format, tools: [tide] };
    const { completions } = gateway.client().chat;
    const whole = completions.runTools(params);
    expect((await whole.finalChatCompletion()).choices[0]?.message.parsed).toEqual({ place: "Hull", metres: 4.5 });
    const streamed = completions.runTools({ ...params, stream: true });
    expect(JSON.parse((await streamed.finalContent()) ?? "")).toEqual({ place: "Hull", metres: 4.5 });
    expect(upstream.requests.length).toBe(4);
  });
});
