import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { LIMITS } from "../../support/defaults.ts";
import { FakeUpstream, sendText, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

// A model that makes the call that it has just made, as small ones do, and a service that counts how often it is asked.
const SENTENCE = "You have the result above. Now answer the question in plain words.";
const LOOKUP = '<tool_call>\n{"name": "stock.look_up", "arguments": {"item": "bolts"}}\n</tool_call>';
const ROLL = '<tool_call>\n{"name": "stock.roll", "arguments": {}}\n</tool_call>';

let upstream: FakeUpstream;
let service: Server;
let gateway: RunningGateway;
let write: (request: UpstreamRequest) => string = () => "";
let asked: string[] = [];
let status = 200;
beforeAll(async () => {
  upstream = await FakeUpstream.start((request, response) => sendText(response, write(request)));
  service = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? { left: 12 } : { error: "busy" }));
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const config = configFor(upstream.baseUrl);
  const action = { method: "GET", params: {} };
  gateway = await startGateway({
    config: {
      ...config,
      components: [
        {
          type: "http-client",
          id: "stock",
          description: "The stock.",
          baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
          headers: {},
          actions: [
            {
              ...action,
              id: "look_up",
              tool: "stock.look_up",
              // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a component.
              path: "/items/${input.item}",
            },
            {
              ...action,
              id: "roll",
              tool: "stock.roll",
              path: "/dice",
              repeatable: true,
            },
          ],
        },
      ],
      agents: [
        {
          id: "default",
          tools: [{ tool: "stock.look_up" }, { tool: "stock.roll" }],
          sampling: {},
          limits: { ...LIMITS.run, maxTurns: 8 },
          actions: [],
        },
      ],
    },
  });
});
beforeEach(() => {
  asked = [];
  status = 200;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  service.closeAllConnections();
  service.close();
});

/** The end of what the model reads. */
function lastWords({ body }: UpstreamRequest): string {
  return String(body.messages.at(-1)?.content);
}

interface Answer {
  readonly choices: readonly {
    readonly message: { readonly content: string };
  }[];
  readonly postel: Record<string, unknown> & {
    readonly issues: readonly { readonly code: string }[];
  };
}

async function run(stream: boolean, more: Record<string, unknown> = {}) {
  const before = upstream.requests.length;
  const response = await fetch(`${gateway.url}/v1/agent/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      stream,
      messages: [{ role: "user", content: "How many bolts?" }],
      ...more,
    }),
  });
  const text = await response.text();
  const { content, postel } = stream ? streamed(text) : whole(text);
  return {
    content,
    postel,
    prompts: upstream.requests.slice(before).map(lastWords),
  };
}

function whole(text: string) {
  const { choices, postel } = JSON.parse(text) as Answer;
  return { content: choices[0]?.message.content, postel };
}

function streamed(text: string) {
  const chunks = text
    .split("\n\n")
    .filter((line) => line.startsWith("data: {"))
    .map(
      (line) =>
        JSON.parse(line.slice(6)) as {
          choices: { delta: { content?: string } }[];
          postel?: Answer["postel"];
        },
    );
  const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  return { content, postel: chunks.find(({ postel }) => postel)?.postel };
}

describe.each([true, false])("a model that repeats its call (stream: %s)", (stream) => {
  it("is told to answer at the second time, and the call is not run again", async () => {
    write = (request) => (lastWords(request).includes(SENTENCE) ? "Twelve." : LOOKUP);
    const { content, postel, prompts } = await run(stream);
    expect(content).toBe("Twelve.");
    expect(asked).toEqual(["/items/bolts"]);
    expect(postel).toMatchObject({
      outcome: "answered",
      issues: [{ code: "repeated-call" }],
    });
    expect(prompts).toHaveLength(3);
    // The result is there once more, with the sentence behind it.
    expect(prompts[2]).toMatch(/"left":12[\s\S]*You have the result above/);
  });

  it("that heeds nothing is stopped, and its call was run once", async () => {
    write = () => LOOKUP;
    const { postel } = await run(stream);
    expect(postel).toMatchObject({ outcome: "repeats" });
    expect(asked).toHaveLength(1);
  });

  it("in one answer has it run once, and reads the result of each", async () => {
    write = (request) => (lastWords(request).includes('"left"') ? "Twelve." : `${LOOKUP}\n${LOOKUP}`);
    const { content, postel, prompts } = await run(stream);
    expect(content).toBe("Twelve.");
    expect(asked).toHaveLength(1);
    expect(prompts[1]).not.toContain("plain words");
    expect(postel).toMatchObject({ issues: [{ code: "repeated-call" }] });
  });

  it("has a tool that may be repeated run each time", async () => {
    write = (request) => (lastWords(request).includes('"left"') ? "Two sixes." : `${ROLL}\n${ROLL}`);
    const { postel } = await run(stream);
    expect(asked).toEqual(["/dice", "/dice"]);
    expect(postel).toMatchObject({ outcome: "answered", issues: [] });
  });

  it("has a call that failed run again", async () => {
    status = 500;
    write = (request) => {
      if (asked.length > 0) status = 200;
      return lastWords(request).includes('"left"') ? "Twelve." : LOOKUP;
    };
    const { content } = await run(stream);
    expect(content).toBe("Twelve.");
    expect(asked).toHaveLength(2);
  });

  it("is told to answer before the last turn that it has", async () => {
    let item = 0;
    write = (request) => {
      if (lastWords(request).includes(SENTENCE)) return "Many.";
      item += 1;
      return LOOKUP.replace("bolts", `bolt-${item}`);
    };
    const { content, postel, prompts } = await run(stream, { max_turns: 3 });
    expect({ content, outcome: postel?.outcome }).toEqual({
      content: "Many.",
      outcome: "answered",
    });
    expect(prompts.map((prompt) => prompt.includes(SENTENCE))).toEqual([false, false, true]);
  });

  it("is told the form of the answer where one is demanded", async () => {
    write = (request) => (lastWords(request).includes("You have the result above.") ? '{"left": 12}' : LOOKUP);
    const { content, prompts } = await run(stream, {
      response_format: { type: "json_object" },
    });
    expect(content).toBe('{"left": 12}');
    expect(prompts.at(-1)).toContain("one JSON object");
    expect(prompts.at(-1)).not.toContain("plain words");
  });
});

describe.each([true, false])("calls that are the client's (stream: %s)", (stream) => {
  it("are handed over as they are, equal ones too", async () => {
    write = () => `${LOOKUP}\n${LOOKUP}`;
    const tools = [
      {
        type: "function" as const,
        function: { name: "stock.look_up", parameters: { type: "object" } },
      },
    ];
    const body = {
      model: "m",
      messages: [{ role: "user" as const, content: "How many bolts?" }],
      tools,
    };
    const { completions } = gateway.client().chat;
    const answer = stream ? await completions.stream(body).finalChatCompletion() : await completions.create(body);
    expect(answer.choices[0]?.message.tool_calls).toHaveLength(2);
  });
});
