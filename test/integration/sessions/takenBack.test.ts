// The last turn of a session, taken back: what it was asked with, what stays before it, and what waited in it.

import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { createChatRequest } from "../../../src/cli/run/createChatRequest.ts";
import { Collector } from "../../../src/core/events/Collector.ts";
import type { RunEvent } from "../../../src/core/events/events.ts";
import { joinText } from "../../../src/core/messages.ts";
import { LOCAL_CALLER } from "../../../src/core/requests.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { type GatewayServices, openServices } from "../../support/gatewayModules.ts";
import { agent } from "../../support/sessions/talk.ts";
import { configFor } from "../../support/startGateway.ts";

const SESSION = { owner: LOCAL_CALLER.name, id: "s1" };
const QUESTION = '<tool_call>{"name": "ask_user", "arguments": {"question": "Which city?"}}</tool_call>';

let upstream: FakeUpstream;
let testGateway: GatewayServices;

beforeEach(async () => {
  upstream = await FakeUpstream.start(({ body: { messages } }, response) => {
    const last = messages.at(-1);
    if (last?.content === "fail") sendError(response, 400, "No.");
    else sendText(response, last?.content === "ask me" ? QUESTION : `Heard: ${last?.content}.`);
  });
  testGateway = await openServices(
    { ...configFor(upstream.baseUrl), agents: [agent({ tool: "ask_user" })] },
    { observers: [] },
  );
});
afterEach(async () => {
  await testGateway.close();
  await upstream.close();
});

async function say(content: string): Promise<string | undefined> {
  const said = new Collector();
  const chat = createChatRequest(content, "m", testGateway.ids.requestId());
  const take = (events: readonly RunEvent[]): undefined => {
    for (const event of events) said.add(event);
  };
  const { signal } = new AbortController();
  await testGateway.sessions.ask(
    { session: SESSION, request: { chat, interactive: true } },
    { signal, onEvents: take },
  );
  return said.getCollected().outcome;
}

async function takeBack(): Promise<string> {
  return joinText((await testGateway.sessions.removeLastTurn(SESSION, testGateway.ids.requestId())).content);
}

async function kept(): Promise<readonly string[]> {
  return (await testGateway.store.sessions.messages(SESSION)).map(({ content }) => joinText(content));
}

it("is gone with its answer, and what was said before it stays", async () => {
  await say("one");
  await say("two");
  expect(await takeBack()).toBe("two");
  expect(await kept()).toEqual(["one", "Heard: one."]);
  expect(await takeBack()).toBe("one");
  expect(await kept()).toEqual([]);
  await expect(takeBack()).rejects.toMatchObject({ failure: { code: "invalid_request" } });
});

it("begins before the questions that it asked, also where a turn failed since", async () => {
  await say("one");
  await say("ask me");
  await say("Rome");
  expect(await kept()).toEqual([
    "one",
    "Heard: one.",
    "ask me",
    "Which city?",
    "Rome",
    expect.stringContaining("Rome"),
  ]);
  await say("fail");
  expect(await takeBack()).toBe("ask me");
  expect(await kept()).toEqual(["one", "Heard: one."]);
});

it("is waited for no more", async () => {
  expect(await say("ask me")).toBe("awaiting-human");
  const run = (await testGateway.store.sessions.get(SESSION))?.waitingRun ?? "";
  expect(await takeBack()).toBe("ask me");
  expect(await testGateway.runs.record({ owner: SESSION.owner, id: run })).toMatchObject({ outcome: "cancelled" });
  expect(await testGateway.store.sessions.get(SESSION)).not.toHaveProperty("waitingRun");
  expect(await say("hello")).toBe("answered");
});
