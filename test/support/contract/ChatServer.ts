// A server of the chat wire with a model of one kind behind it; what it refuses is told to it.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isObject, type JsonObject, type JsonValue } from "../../../src/core/messages.ts";
import { KEPT } from "../servers/keptConnections.ts";
import type { Backend, Judge } from "./backends.ts";
import type { Kind } from "./cells.ts";
import { type Said, type Shown, think, tokensIn } from "./minds.ts";

/** Where a server of the chat wire is, and what it says beside its answers. */
interface Place {
  /** What the base URL ends with. */
  readonly base: string;
  readonly pathOf: (model: string) => string;
  readonly address?: Pick<Backend, "apiKey" | "apiVersion">;
  /** Members of a first chunk without choices, and of each choice. */
  readonly filter?: { readonly prompt: JsonObject; readonly choice: JsonObject };
}

const OPENAI: Place = { base: "/v1", pathOf: () => "/v1/chat/completions" };
/** The dated API, which names the deployment and the version in the address, with its content filter. */
const AZURE: Place = {
  base: "/openai",
  pathOf: (model) => `/openai/deployments/${model}/chat/completions?api-version=2024-10-21`,
  address: { apiKey: "azure-key-of-the-table", apiVersion: "2024-10-21" },
  filter: {
    prompt: { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
    choice: { content_filter_results: { hate: { filtered: false, severity: "safe" } } },
  },
};

export const startChat = (kind: Kind, judge: Judge) => start(kind, judge, OPENAI);
export const startAzure = (kind: Kind, judge: Judge) => start(kind, judge, AZURE);

async function start(kind: Kind, judge: Judge, { base, pathOf, address, filter }: Place): Promise<Backend> {
  const bodies = new Map<string, string[]>();
  const server = createServer(KEPT, async (request, response) => {
    const body = await text(request);
    const asked = (body === "" ? {} : JSON.parse(body)) as JsonObject;
    const model = String(asked.model);
    if (request.url !== pathOf(model)) return sendError(response, 404, "Not Found");
    if (request.headers["api-key"] !== address?.apiKey) return sendError(response, 401, "Access denied");
    bodies.set(model, [...(bodies.get(model) ?? []), body]);
    const refusal = ownRefusal(kind, asked) ?? judge(model, body, unsupported);
    if (refusal) return sendError(response, 400, refusal);
    const shown = shownBy(asked);
    const answer = new Writing({ asked, said: think(shown, kind), shown, kind, filter });
    if (asked.stream === true) answer.stream(response);
    else answer.whole(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    ...address,
    bodies: (model) => bodies.get(model) ?? [],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function unsupported(field: string): string {
  return `Unsupported parameter: '${field}' is not supported with this model.`;
}

/** What servers of a kind refuse whatever is in question: the text one tools, OpenAI's own more than four stop texts. */
function ownRefusal(kind: Kind, { tools, stop }: JsonObject): string | undefined {
  if (kind === "text" && tools) return "This model does not support tools";
  if (kind !== "native" || !Array.isArray(stop) || stop.length <= 4) return undefined;
  return `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stop.length} instead.`;
}

function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code: null } }));
}

function shownBy(body: JsonObject): Shown {
  const messages = list(body.messages);
  const format = object(body.response_format).type;
  const choice = body.tool_choice;
  const limit = body.max_completion_tokens ?? body.max_tokens;
  return {
    words: messages.map(({ content }) => wordsIn(content)).join("\n"),
    tools: list(body.tools).map((tool) => String(object(tool.function).name)),
    choice: isObject(choice)
      ? { name: String(object(choice.function).name) }
      : ((choice ?? "auto") as "auto" | "none" | "required"),
    oneCall: body.parallel_tool_calls === false,
    wantsJson: format === "json_object" || format === "json_schema",
    stops: [body.stop ?? []].flat().map(String),
    limit: typeof limit === "number" ? limit : Number.POSITIVE_INFINITY,
  };
}

function wordsIn(content: JsonValue | undefined): string {
  return typeof content === "string"
    ? content
    : list(content)
        .map(({ text: words }) => words ?? "")
        .join(" ");
}

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}

function object(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

interface Exchange {
  readonly asked: JsonObject;
  readonly said: Said;
  readonly shown: Shown;
  readonly kind: Kind;
  readonly filter: Place["filter"];
}

/** One answer as the wire spells it. */
class Writing {
  readonly #asked: JsonObject;
  readonly #said: Said;
  readonly #kind: Kind;
  readonly #usage: JsonObject;
  readonly #filter: Place["filter"];

  constructor({ asked, said, shown, kind, filter }: Exchange) {
    this.#filter = filter;
    this.#asked = asked;
    this.#said = said;
    this.#kind = kind;
    const seen = shown.words.length + (said.sawTools ? JSON.stringify(asked.tools ?? []).length : 0);
    const [prompt_tokens, completion_tokens] = [Math.ceil(seen / 4), tokensIn(said.text).length];
    this.#usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  }

  whole(response: ServerResponse): void {
    const { text: content, calls } = this.#said;
    const tool_calls = calls.map((call, index) => this.#call(call, index, JSON.stringify(call.arguments)));
    const message = { role: "assistant", content: content || null, ...(calls.length > 0 && { tool_calls }) };
    const choice = {
      index: 0,
      ...this.#filter?.choice,
      message,
      ...this.#logprobs(content),
      finish_reason: this.#finish(),
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...this.#head("chat.completion"), choices: [choice], usage: this.#usage }));
  }

  stream(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const head = this.#head("chat.completion.chunk");
    const send = (more: JsonObject) => response.write(`data: ${JSON.stringify({ ...head, ...more })}\n\n`);
    const delta = (said: JsonObject, more: JsonObject = {}) =>
      send({ choices: [{ index: 0, ...this.#filter?.choice, delta: said, finish_reason: null, ...more }] });
    if (this.#filter) send({ choices: [], ...this.#filter.prompt });
    delta({ role: "assistant", content: "" });
    for (const piece of this.#said.text.match(/.{1,5}/gs) ?? []) delta({ content: piece }, this.#logprobs(piece));
    for (const [index, call] of this.#said.calls.entries()) {
      const [first, ...rest] = JSON.stringify(call.arguments).match(/.{1,6}/gs) ?? [];
      delta({ tool_calls: [this.#call(call, index, first ?? "")] });
      for (const piece of rest) delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
    delta({}, { finish_reason: this.#finish() });
    if (object(this.#asked.stream_options).include_usage) send({ choices: [], usage: this.#usage });
    response.end("data: [DONE]\n\n");
  }

  #head(kind: string): JsonObject {
    return { id: "chatcmpl-table", object: kind, created: 1_700_000_000, model: this.#asked.model ?? null };
  }

  #call(call: Said["calls"][number], index: number, text: string): JsonObject {
    return { index, id: `call_${index}`, type: "function", function: { name: call.name, arguments: text } };
  }

  #finish(): string {
    return this.#said.end === "calls" ? "tool_calls" : this.#said.end;
  }

  /** Those of a whole text as one token: nobody here counts them. */
  #logprobs(token: string): JsonObject {
    if (this.#asked.logprobs !== true || this.#kind === "dropped" || token === "") return {};
    return { logprobs: { content: [{ token, logprob: -0.25, bytes: null, top_logprobs: [] }], refusal: null } };
  }
}
