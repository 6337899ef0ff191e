// A model in text mode that repeats what it was shown, the prompt or the correction: no tool is called by it, whatever the form.

import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream, sendText, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const FORMS = ["react-text", "hermes-json", "llama3-json", "llama-pythonic", "anthropic-xml", "mistral-args"];

/** What the model does with the messages of a request. */
let answer: (messages: UpstreamRequest["body"]["messages"], asked: number) => string;
let asked = 0;
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(({ body }, response) => {
    sendText(response, answer(body.messages, asked));
    asked += 1;
  });
  const operatorModels = FORMS.map(
    (emulate): ModelProfile => ({ match: [`echo-${emulate}`], tools: "text", emulate, why: "test" }),
  );
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const tools = [
  { type: "function" as const, function: { name: "delete_all", description: "Deletes every file." } },
  {
    type: "function" as const,
    function: {
      name: "write_note",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
  },
];

/** The names that a client is given to call; none also where it is given a failure. */
async function calledBy(emulate: string, stream: boolean): Promise<string> {
  asked = 0;
  const messages = [{ role: "user", content: "Write a note that says hello." }];
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: `echo-${emulate}`, messages, tools, stream }),
  });
  const text = await response.text();
  return [...text.matchAll(/"tool_calls":\[.*?"name":"(\w+)"/g)].map(([, name]) => name).join();
}

describe.each(FORMS)("%s", (emulate) => {
  it.each([false, true])("a model that repeats its prompt calls nothing (stream: %s)", async (stream) => {
    answer = ([system]) => system?.content ?? "";
    expect(await calledBy(emulate, stream)).toBe("");
  });

  it.each([false, true])("a model that repeats the prompt's example calls nothing (stream: %s)", async (stream) => {
    answer = ([system]) => /banana\?\n([\s\S]*?)\n\n/.exec(system?.content ?? "")?.[1] ?? "";
    expect(await calledBy(emulate, stream)).toBe("");
    expect(asked).toBeGreaterThan(1);
  });

  it.each([false, true])("a model that repeats the correction calls nothing (stream: %s)", async (stream) => {
    answer = (messages, turn) =>
      turn === 0
        ? (/banana\?\n([\s\S]*?)\n\n/.exec(messages[0]?.content ?? "")?.[1] ?? "")
        : (messages.at(-1)?.content.split("\n").slice(-4).join("\n") ?? "");
    expect(await calledBy(emulate, stream)).toBe("");
    expect(asked).toBeGreaterThan(1);
  });

  it("a model that understands the correction calls the tool that it means", async () => {
    answer = (messages, turn) => {
      const example = /banana\?\n([\s\S]*?)\n\n/.exec(messages[0]?.content ?? "")?.[1] ?? "";
      if (turn === 0) return example;
      expect(messages.at(-1)?.content).toContain("The tools are: delete_all, write_note.");
      return example
        .replace("count_letters", "write_note")
        .replace(/"text": "banana", "letter": "a"/, '"text": "hello"')
        .replace(/text='banana', letter='a'|text="banana", letter="a"/, 'text="hello"')
        .replace(/<parameter name="letter">a<\/parameter>\n/, "");
    };
    expect(await calledBy(emulate, false)).toBe("write_note");
  });
});
