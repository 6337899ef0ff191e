import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

// A model that is asked for labelled text (Thought, Action, Final Answer), and agents whose tools are called like the labels' own words.
let upstream: FakeUpstream;
let gateway: RunningGateway;
let script: string[] = [];
beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => {
    sendText(response, script.shift() ?? "Thought: I know the answer\nFinal Answer: Done.");
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const model = "o1-mini";
const messages = [{ role: "user" as const, content: "How dry is the bed?" }];
const tools = ["read_soil", "final_answer", "finish", "no_action"].map((name) => ({
  type: "function" as const,
  function: { name, parameters: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] } },
}));

interface Route {
  readonly path: string;
  readonly stream: boolean;
}

async function ask({ path, stream }: Route, text: string, more: { readonly parallel_tool_calls?: boolean } = {}) {
  script = [text];
  const { completions } = gateway.client(path).chat;
  const body = { model, messages, tools, ...more };
  const answer = stream ? await completions.stream(body).finalChatCompletion() : await completions.create(body);
  const [choice] = answer.choices;
  return {
    content: choice?.message.content ?? null,
    finish: choice?.finish_reason,
    calls: (choice?.message.tool_calls ?? []).map((call) =>
      call.type === "function" ? `${call.function.name} ${call.function.arguments}` : call.type,
    ),
  };
}

/** The codes of the issues in the `postel` object of a JSON reply. */
async function issuesOf(path: string, text: string, more: Record<string, unknown> = {}): Promise<readonly string[]> {
  script = [text];
  const response = await fetch(`${gateway.url}${path}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages, tools, ...more }),
  });
  const { postel } = (await response.json()) as { postel: { issues?: readonly { code: string }[] } };
  return (postel.issues ?? []).map(({ code }) => code);
}

const routes = ["/v1", "/v1/agent"].flatMap((path) => [true, false].map((stream) => ({ path, stream })));
const round = (name: string): string => `Thought: Done.\nAction: ${name}\nAction Input: {"answer": "dry"}`;

describe.each(routes)("a model that writes labelled text on $path (stream: $stream)", (route) => {
  it.each(["final_answer", "finish", "no_action"])("calls the offered tool %s", async (name) => {
    const calls = [`${name} {"answer": "dry"}`];
    expect(await ask(route, round(name))).toEqual({ content: null, finish: "tool_calls", calls });
  });

  it("answers with the action that nobody offers", async () => {
    const text = "Thought: Done.\nAction: respond\nAction Input: The bed is dry.";
    expect(await ask(route, text)).toEqual({ content: "The bed is dry.", finish: "stop", calls: [] });
  });

  it("calls twice in one answer, and once where only one call is allowed", async () => {
    const text = `${round("read_soil")}\n${round("finish")}`;
    const calls = ['read_soil {"answer": "dry"}', 'finish {"answer": "dry"}'];
    expect(await ask(route, text)).toMatchObject({ calls });
    expect(await ask(route, text, { parallel_tool_calls: false })).toMatchObject({ calls: calls.slice(0, 1) });
  });

  it("makes no call and no answer of results that it invented", async () => {
    const text = `${round("read_soil")}\nObservation: 4 %\n${round("final_answer")}\nObservation: ok\nFinal Answer: Dry.`;
    expect(await ask(route, text)).toEqual({
      content: null,
      finish: "tool_calls",
      calls: ['read_soil {"answer": "dry"}'],
    });
  });
});

describe("what of labelled text was left out", () => {
  it.each(["/v1", "/v1/agent"])("is reported on %s", async (path) => {
    expect(await issuesOf(path, `${round("read_soil")}\nObservation: 4 %\nFinal Answer: Dry.`)).toEqual(["stray-mark"]);
    const two = `${round("read_soil")}\n${round("finish")}`;
    expect(await issuesOf(path, two, { parallel_tool_calls: false })).toEqual(["ambiguous-call"]);
  });
});
