// A model that plays a script, behind a server of one manner and one wire: it calls tools as such a server lets it.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { JsonObject } from "../../../src/core/messages.ts";
import { calls, eventsOf, messageOf, says } from "../servers/anthropicEvents.ts";

/**
 * `native`: calls by the wire's own field. `leaks-json`, `leaks-xml`: is shown the tools, and writes its calls into the text. `refuses`:
 * 400 to every request with tools. `drops`: takes the field and shows the model nothing of it, as its `/props` say.
 */
export type Manner = "native" | "leaks-json" | "leaks-xml" | "refuses" | "drops";

/** What the model says in each turn: the last step is words. */
type Step = string | { readonly name: string; readonly arguments: JsonObject };

export interface Script {
  readonly steps: readonly Step[];
  /** A word of the tools' schemas that nothing else says: where the model has not read it, it knows no tools. */
  readonly sign: string;
}

const NO_TOOLS = "I have no tools.";

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly JsonObject[];
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly model: string;
}

export class ModelServer {
  readonly baseUrl: string;
  /** The requests for an answer, those that were refused among them. */
  readonly asked: Asked[] = [];
  readonly #close: () => Promise<void>;

  private constructor(baseUrl: string, close: () => Promise<void>) {
    this.baseUrl = baseUrl;
    this.#close = close;
  }

  static async start(wire: "chat" | "messages", manner: Manner, script: () => Script): Promise<ModelServer> {
    const server = createServer((request, response) => {
      const path = request.url?.split("?", 1)[0];
      if (manner === "drops" && path === "/props") {
        sendJson(response, 200, { chat_template_caps: { supports_tools: false }, total_slots: 1 });
        return;
      }
      if (request.method !== "POST" || path !== (wire === "chat" ? "/v1/chat/completions" : "/v1/messages")) {
        sendJson(response, 404, { error: { message: "File Not Found", type: "not_found_error", code: 404 } });
        return;
      }
      void json(request).then((body) => {
        fake.asked.push(body as Asked);
        answer(response, body as Asked, { wire, manner, script: script() });
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const fake = new ModelServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    return fake;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

interface Playing {
  readonly wire: "chat" | "messages";
  readonly manner: Manner;
  readonly script: Script;
}

function answer(response: ServerResponse, asked: Asked, { wire, manner, script }: Playing): void {
  if (manner === "refuses" && asked.tools) {
    const message = "This model does not support tools";
    sendJson(response, 400, { type: "error", error: { type: "invalid_request_error", message } });
    return;
  }
  const read = JSON.stringify([asked.messages, asked.system ?? "", manner === "drops" ? "" : (asked.tools ?? "")]);
  const turn = asked.messages.filter(({ role }) => role === "assistant").length;
  const step = script.steps.length === 1 || read.includes(script.sign) ? (script.steps[turn] ?? NO_TOOLS) : NO_TOOLS;
  const isNative = manner === "native" && asked.tools !== undefined;
  if (wire === "chat") sendCompletion(response, asked, isNative ? step : written(step, manner));
  else sendMessage(response, asked, isNative ? step : written(step, manner));
}

/** A call as the model writes it where no field is for it. */
function written(step: Step, manner: Manner): string {
  if (typeof step === "string") return step;
  if (manner !== "leaks-xml") return `<tool_call>\n${JSON.stringify(step)}\n</tool_call>`;
  const parameters = Object.entries(step.arguments).map(
    ([key, value]) => `<parameter name="${key}">${value}</parameter>`,
  );
  return `<function_calls>\n<invoke name="${step.name}">\n${parameters.join("\n")}\n</invoke>\n</function_calls>`;
}

function sendCompletion(response: ServerResponse, { model, stream }: Asked, step: Step): void {
  const words = typeof step === "string" ? step : null;
  const call = typeof step === "string" ? undefined : step;
  const tool_calls = call && [
    {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    },
  ];
  const message = { role: "assistant", content: words, ...(tool_calls && { tool_calls }) };
  const finish_reason = call ? "tool_calls" : "stop";
  const head = { id: "c", created: 1, model };
  const usage = { prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason }];
    sendJson(response, 200, { ...head, object: "chat.completion", choices, usage });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (more: object) =>
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...more })}\n\n`);
  for (const content of words?.match(/.{1,7}/gs) ?? [])
    send({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] });
  if (call) send({ choices: [{ index: 0, delta: message, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function sendMessage(response: ServerResponse, { model, stream, messages }: Asked, step: Step): void {
  const block = typeof step === "string" ? says(step) : calls(`toolu_${messages.length}`, step.name, step.arguments);
  const message = messageOf({ content: [block] }, model);
  if (!stream) {
    sendJson(response, 200, message);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = eventsOf(message).map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  response.end(events.join(""));
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
