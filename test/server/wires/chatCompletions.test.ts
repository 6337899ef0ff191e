import { describe, expect, it } from "@jest/globals";
import { Collector, OUTLINE } from "../../../src/core/collect.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { failure } from "../../../src/core/failures.ts";
import { LOCAL_CALLER } from "../../../src/core/requests.ts";
import { chatCompletions } from "../../../src/server/wires/chatCompletions/chatCompletions.ts";
import type { AcceptContext, Accepted } from "../../../src/server/wires/Wire.ts";
import { LIMITS } from "../../support/defaults.ts";
import { ASK, turnEnd, turnStart } from "../testApp.ts";

const CONTEXT: AcceptContext = {
  id: "one",
  caller: LOCAL_CALLER,
  limits: LIMITS,
  clock: { now: () => 1_700_000_000_000 },
  gatewayTools: false,
  routeFields: [],
};

function accept(body: object, headers: Readonly<Record<string, string>> = {}): Promise<Accepted> {
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
    for (const event of SAID) texts.push(await oneByOne.events([event]));
    expect(await answer.stream().events(SAID)).toBe(texts.join(""));
    // The turn's start is nothing that a client is told.
    expect(texts.map((text) => text.split("\n\n").length - 1)).toEqual([0, 1, 1, 2]);
  });

  it("ends a stream that went well with [DONE], and one that failed without it", async () => {
    const { answer } = await accept({ stream: true });
    const outliner = new Collector(OUTLINE);
    outliner.add(turnEnd);
    const stream = answer.stream();
    expect(await stream.end(outliner.outline())).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/);
    expect(await stream.failed(failure("upstream_timeout", "Too late."))).toBe(
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

  it("names the field of a part that is no text", async () => {
    const seen = async (...messages: unknown[]) => chatCompletions.nonTextField((await accept({ messages })).chat);
    const user = (content: unknown) => ({ role: "user", content });
    expect(await seen(user("hi"), user([{ type: "text", text: "hi" }]))).toBeUndefined();
    expect(await seen(user("hi"), user([{ type: "image_url", image_url: { url: "data:," } }]))).toBe(
      "messages[1].content",
    );
  });
});
