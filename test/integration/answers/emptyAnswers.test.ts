import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

// A model that ends its answers before their first word: a template's end token is all that it writes.
let upstream: FakeUpstream;
let gateway: RunningGateway;
let script: string[] = [];
beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => {
    const text = script.shift() ?? "";
    if (text === REFUSAL) sendRefusal(response);
    else sendText(response, text);
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "6*7"}}\n</tool_call>';
const routes = ["/v1", "/v1/agent"].flatMap((path) => [true, false].map((stream) => ({ path, stream })));

const REFUSAL = "a refusal";
/** The answer of a server that has a field of its own for what its model will not do. */
function sendRefusal(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const message = { role: "assistant", content: null, refusal: "I will not." };
  response.end(
    JSON.stringify({ id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] }),
  );
}

interface Asked {
  readonly path: string;
  readonly stream: boolean;
}

async function ask({ path, stream }: Asked, ...texts: readonly string[]) {
  script = [...texts];
  const before = upstream.requests.length;
  const { completions } = gateway.client(path).chat;
  const body = {
    model: "m",
    messages: [{ role: "user" as const, content: "What is 6*7?" }],
  };
  const answer = stream ? await completions.stream(body).finalChatCompletion() : await completions.create(body);
  const [choice] = answer.choices;
  return {
    content: choice?.message.content,
    finish: choice?.finish_reason,
    prompts: upstream.requests.slice(before).map(({ body: { messages } }) => messages.at(-1)?.content),
  };
}

/** The `postel` block of a JSON reply. */
async function postelOf(path: string, body: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.url}${path}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: "What is 6*7?" }],
      ...body,
    }),
  });
  const { postel } = (await response.json()) as {
    postel: Record<string, unknown>;
  };
  return postel;
}

describe.each(routes)("an answer of nothing on $path (stream: $stream)", (route) => {
  it("is asked for once more, and the answer that comes then is the answer", async () => {
    const { content, finish, prompts } = await ask(route, "", "It is 42.");
    expect({ content, finish }).toEqual({
      content: "It is 42.",
      finish: "stop",
    });
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain("Your answer was empty.");
  });

  it("is asked for no third time, and is no failure", async () => {
    const { content, finish, prompts } = await ask(route, "", "", "Too late.");
    expect(content ?? "").toBe("");
    expect(finish).toBe("stop");
    expect(prompts).toHaveLength(2);
  });
});

describe.each([true, false])("an agent's run (stream: %s)", (stream) => {
  const route = { path: "/v1/agent", stream };

  it("that falls silent behind a result is asked for the answer in plain words", async () => {
    const { content, prompts } = await ask(route, CALL, "", "It is 42.");
    expect(content).toBe("It is 42.");
    expect(prompts[2]).toContain("You have the result above. Now answer the question in plain words.");
  });
});

describe("a run without an answer", () => {
  it("says no-answer, and never answered", async () => {
    script = [CALL];
    expect(await postelOf("/v1/agent")).toMatchObject({ outcome: "no-answer" });
  });

  it("says so where words came before the last turn only", async () => {
    script = [`Let me see. ${CALL}`];
    expect(await postelOf("/v1/agent")).toMatchObject({ outcome: "no-answer" });
  });

  it("says answered where the second asking gave one", async () => {
    script = [CALL, "", "It is 42."];
    expect(await postelOf("/v1/agent")).toMatchObject({
      outcome: "answered",
      attempts: 3,
    });
  });

  it("is no refusal, which says something", async () => {
    script = [REFUSAL];
    expect(await postelOf("/v1/agent")).toMatchObject({ outcome: "answered", attempts: 1 });
  });

  it("asks nothing again where nobody reads the answer", async () => {
    const response = await fetch(`${gateway.url}/v1/agent/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-postel-parse": "off" },
      body: JSON.stringify({
        model: "m",
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    expect(await response.json()).toMatchObject({
      postel: { outcome: "no-answer", attempts: 1 },
    });
  });
});
