import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Collector, SUMMARY_ONLY } from "../../../../src/core/events/Collector.ts";
import type { RunEvent } from "../../../../src/core/events/events.ts";
import { createFailure } from "../../../../src/core/failures.ts";
import { LOCAL_CALLER } from "../../../../src/core/requests.ts";
import { chatCompletions } from "../../../../src/server/apis/chatCompletions/chatCompletions.ts";
import type { AcceptContext, Accepted } from "../../../../src/server/apis/FrontApi.ts";
import { LIMITS } from "../../../support/defaults.ts";
import { ASK, turnEnd, turnStart } from "../../../support/testApp.ts";

const CONTEXT: AcceptContext = {
  id: "one",
  caller: LOCAL_CALLER,
  limits: LIMITS,
  clock: { now: () => 1_700_000_000_000 },
  gatewayTools: false,
  routeFields: [],
};

async function accept(body: object, headers: Readonly<Record<string, string>> = {}): Promise<Accepted> {
  return chatCompletions.accept({ ...ASK, ...body }, (name) => headers[name], CONTEXT);
}

const SAID: readonly RunEvent[] = [
  turnStart,
  { type: "reasoning-delta", text: "Hm.\n" },
  { type: "text-delta", text: 'x\r\n\r\ndata: [DONE]\n\n"' },
  {
    type: "tool-call",
    call: { id: "call00001", name: "look", arguments: "{}", origin: "native", repairs: [], raw: "{}" },
  },
];

describe("the wire of chat completions", () => {
  it("says the same of events at once and one by one", async () => {
    const { answer } = await accept({ stream: true });
    const oneByOne = answer.stream();
    const texts: string[] = [];
    for (const event of SAID) texts.push(await oneByOne.events([event], 0));
    expect(await answer.stream().events(SAID, 0)).toBe(texts.join(""));
    // The turn's start is nothing that a client is told.
    expect(texts.map((text) => text.split("\n\n").length - 1)).toEqual([0, 1, 1, 2]);
  });

  it("says words in the frame of their answer as it says every other chunk", async () => {
    const words = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "\u2028", '"\\\n')));
    const model = fc.constantFrom('m"content":""', "content", "\u2028");
    await fc.assert(
      fc.asyncProperty(words, model, fc.boolean(), fc.boolean(), async (texts, model, usage, thought) => {
        const { answer } = await accept({ stream: true, model, stream_options: { include_usage: usage } });
        const type = thought ? "reasoning-delta" : "text-delta";
        const stream = answer.stream();
        const opening = await stream.events([{ type: "text-delta", text: "x" }], 0);
        const said = await stream.events(
          texts.map((text) => ({ type, text })),
          0,
        );
        const first = JSON.parse(opening.slice("data: ".length));
        const chunk = (delta: object) => ({ ...first, choices: [{ ...first.choices[0], delta }] });
        const deltaOf = (text: string) =>
          thought ? { reasoning_content: text } : text === "" ? {} : { content: text };
        expect(said).toBe(texts.map((text) => `data: ${JSON.stringify(chunk(deltaOf(text)))}\n\n`).join(""));
      }),
    );
  });

  it("says a text of a million characters in turns of the loop, and what stands around it in its place", async () => {
    const { answer } = await accept({ stream: true });
    const long = "x".repeat(1_000_000);
    const texts = ["a", "b", long, "c", long, "d"];
    const said = answer.stream().events(
      texts.map((text) => ({ type: "text-delta", text })),
      0,
    );
    expect(said).toBeInstanceOf(Promise);
    const contents = [...(await said).matchAll(/"content":"(\w+)"/g)].map(([, content]) => content);
    expect(contents).toEqual(texts);
  });

  it("ends a stream that went well with [DONE], and one that failed without it", async () => {
    const { answer } = await accept({ stream: true });
    const outliner = new Collector(SUMMARY_ONLY);
    outliner.add(turnEnd);
    const stream = answer.stream();
    expect(await stream.end([outliner.getSummary()])).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/);
    expect(await stream.failed(createFailure("upstream_timeout", "Too late."))).toBe(
      'data: {"error":{"code":"upstream_timeout","message":"Too late.","type":"upstream_error","param":null}}\n\n',
    );
  });

  it("reads what the headers ask for, and refuses what they may not say before it reads the body", async () => {
    const { chat } = await accept({}, { "x-postel-tool-mode": "text", "x-postel-parse": "off" });
    expect(chat).toMatchObject({ id: "one", pinnedToolMode: "text", parse: "off" });
    await expect(accept({ model: 1 }, { "x-postel-on-invalid": "never" })).rejects.toMatchObject({
      failure: { code: "invalid_request", details: { param: "x-postel-on-invalid" } },
    });
  });

  it("names the field of a part that a conversation as text has no place for", async () => {
    const seen = async (...messages: unknown[]) => chatCompletions.unwritablePart((await accept({ messages })).chat);
    const user = (content: unknown) => ({ role: "user", content });
    const picture = { type: "image_url", image_url: { url: "data:," } };
    expect(await seen(user("hi"), user([{ type: "text", text: "hi" }, picture]))).toBeUndefined();
    for (const type of ["input_audio", "file"])
      expect(await seen(user("hi"), user([{ type }]))).toBe("messages[1].content");
    expect(await seen(user("hi"), { role: "assistant", content: [picture] })).toBe("messages[1].content");
    const asked = async (fields: object) => chatCompletions.unwritablePart((await accept(fields)).chat);
    expect(await asked({ modalities: ["text", "audio"] })).toBe("modalities");
    expect(await asked({ audio: { emitter: "ash", format: "wav" } })).toBe("audio");
    expect(await asked({ modalities: ["text"], audio: null })).toBeUndefined();
  });
});

describe("the fields of a body", () => {
  it("are passed on where nobody here reads them, whatever they are called", async () => {
    const fields = JSON.parse('{ "top_k": 5, "toString": 1, "n": 1, "logit_bias": { "1": 2 }, "user": "u" }');
    const { chat } = await accept({ ...ASK, ...fields });
    expect(JSON.stringify(chat.passthrough)).toBe('{"logit_bias":{"1":2},"user":"u","top_k":5,"toString":1}');
    const poisoned = Object.defineProperty({}, "__proto__", { value: { stream: true }, enumerable: true });
    expect(JSON.stringify((await accept(poisoned)).chat.passthrough)).toBe("{}");
  });

  it("are not passed on where they would say who serves the request, however they are written", async () => {
    for (const field of ["api_base", "Base-URL", "x", "tools"]) {
      const taken = accept({ [field]: null }).then(({ chat }) => Object.keys(chat.passthrough));
      await expect(taken).resolves.toEqual(field === "tools" ? [] : [field]);
    }
    await expect(accept({ user: "u", "API-key": "x" })).rejects.toThrow("`API-key` is not taken from callers");
  });
});
