// The log of a run that people's words take further: the line of each request that did says which run, and what came of it.

import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { createLogger } from "../../../src/telemetry/createLogger.ts";
import { LogObserver } from "../../../src/telemetry/LogObserver.ts";
import { sendText } from "../../support/FakeUpstream.ts";
import { agent, send, startTalk, type Talk, turn } from "../../support/sessions/talk.ts";

let talk: Talk;
let lines: string[];
afterEach(() => talk.close());

beforeEach(async () => {
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const question = { name: "ask_user", arguments: { question: "Which city?", options: ["Paris", "Rome"] } };
  talk = await startTalk(
    ({ body }, response) => {
      const isTold = body.messages.some(({ role }) => role === "tool");
      sendText(response, isTold ? "Paris it is." : `<tool_call>${JSON.stringify(question)}</tool_call>`);
    },
    () => ({ agents: [agent({ tool: "ask_user" })] }),
    new LogObserver(createLogger({ level: "info", redact: (text) => text, destination })),
  );
});

interface Line {
  readonly msg: string;
  readonly path: string;
  readonly run: string;
}

const requests = (): readonly Line[] =>
  lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === "request");

/** The line of the last request, which is written once its answer has been sent. */
async function lastLine(count: number): Promise<Line | undefined> {
  while (requests().length < count) await new Promise(setImmediate);
  return requests().at(-1);
}

const RESUMED = {
  model: "m",
  tokens: expect.any(Number),
  attempts: 1,
  finishReason: "stop",
  outcome: "answered",
  turns: 2,
};
const messages = [{ role: "user", content: "go" }];

/** The run that waits, and what it asked. */
async function asked(session?: string) {
  const { body } = await send(`${talk.url}/v1/agent`, "POST", { model: "m", messages, session_id: session });
  const line = await lastLine(1);
  expect(line).toMatchObject({ outcome: "awaiting-human" });
  expect(line).not.toHaveProperty("resumed");
  return { run: line?.run, call: body.choices[0].message.tool_calls[0].id as string };
}

it("a tool message's", async () => {
  const { run, call } = await asked();
  const word = { role: "tool", tool_call_id: call, content: "Paris" };
  await send(`${talk.url}/v1/agent`, "POST", { model: "m", messages: [...messages, word] });
  const line = await lastLine(2);
  expect(line).toMatchObject({ resumed: run, asked: "m", ...RESUMED });
  expect(line?.run).not.toBe(run);
});

it("words' in a session", async () => {
  const { run } = await asked("s");
  await turn(talk, "s", "Paris");
  expect(await lastLine(2)).toMatchObject({ resumed: run, session: "s", ...RESUMED });
});

it("POST /chat's", async () => {
  const { run, call } = await asked("s");
  await send(`${talk.url}/chat`, "POST", { session_id: "s", interrupt_response: { id: call, response: "Paris" } });
  expect(await lastLine(2)).toMatchObject({ resumed: run, path: "/chat", ...RESUMED });
});

it("the resume route's, and not that of the decision before it", async () => {
  const { run, call } = await asked();
  const route = `${talk.url}/v1/agent/runs/${run}`;
  await send(`${route}/interrupts/${call}`, "POST", { decision: "answer", response: "Paris" });
  expect(await lastLine(2)).not.toHaveProperty("resumed");
  await send(`${route}/resume`, "POST", {});
  expect(await lastLine(3)).toMatchObject({ resumed: run, ...RESUMED });
});
