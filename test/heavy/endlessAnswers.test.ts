// Four answers without end at once, at the default limits, through the whole gateway: typed failures, and memory that is bounded.
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { configFor, type RunningGateway, startGateway } from "../support/startGateway.ts";

jest.setTimeout(300_000);

let gateway: RunningGateway | undefined;
let server: Server | undefined;
afterEach(async () => {
  await gateway?.close();
  server?.closeAllConnections();
  server?.close();
});

const piece = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const words = "word ".repeat(200);
const fragment = (fields: object): string => piece({ tool_calls: [{ index: 0, ...fields }] });

/** By the model's name: what comes first, and what comes then for ever. */
const ENDLESS: Readonly<Record<string, readonly [first: string, next: string]>> = {
  text: ["", piece({ content: words })],
  reasoning: ["", piece({ reasoning_content: words })],
  arguments: [
    fragment({ id: "c", function: { name: "f", arguments: '{"x":"' } }),
    fragment({ function: { arguments: words } }),
  ],
  "unknown fields": ["", piece({ hidden: words })],
  "a JSON document": ['{"choices":[{"message":{"content":"', words],
  "white space": ["", " ".repeat(1_000)],
};

function flood(response: ServerResponse, model: string): void {
  const [first, next] = ENDLESS[model] ?? ["", ""];
  const type = first.startsWith("{") || next.startsWith(" ") ? "application/json" : "text/event-stream";
  response.writeHead(200, { "content-type": type });
  if (first !== "") response.write(first);
  const many = next.repeat(16);
  const write = (): void => {
    while (!response.closed && response.write(many));
  };
  response.on("drain", write);
  write();
}

async function start(): Promise<{ readonly url: string; open(): number }> {
  let open = 0;
  server = createServer(async (request, response) => {
    let body = "";
    for await (const data of request) body += data;
    if (!request.url?.endsWith("/chat/completions")) {
      response.writeHead(404).end();
      return;
    }
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    flood(response, (JSON.parse(body) as { model: string }).model);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  gateway = await startGateway({ config: configFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`) });
  return { url: gateway.url, open: () => open };
}

async function ask(url: string, model: string, stream: boolean): Promise<string> {
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, stream, tools, messages: [{ role: "user", content: "hi" }] }),
  });
  let head = "";
  let tail = "";
  const decoder = new TextDecoder();
  for await (const data of response.body ?? []) {
    const text = decoder.decode(data as Uint8Array);
    head ||= text.slice(0, 1_000);
    tail = (tail + text).slice(-1_000);
  }
  return head + tail;
}

describe.each(Object.keys(ENDLESS))("four endless answers of %s", (model) => {
  it.each([true, false])("end in a typed failure each and keep the memory bounded (stream: %s)", async (stream) => {
    const { url, open } = await start();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(url, model, stream)));
    clearInterval(watch);
    for (const answer of answers) expect(answer).toContain('"code":"upstream_answer_too_large"');
    for (const answer of answers) expect(answer).not.toMatch(/"finish_reason":"(stop|length|tool_calls)"/);
    while (open() > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((peak - before) / 1_048_576).toBeLessThan(400);
  });
});
