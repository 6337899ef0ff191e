// A Gemini API on 127.0.0.1: refuses what Google refuses, streams as Google streams, and says what the test has it say.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject } from "../../../src/core/messages.ts";
import { type AskedOfGemini, generation, refusalOf } from "./geminiRules.ts";
import { KEPT } from "./keptConnections.ts";

/** What the server answers one request with. */
export type GeminiTurn =
  | {
      /** One event each, with the parts that it holds; where the answer is whole, all are in one. */
      readonly events: readonly (readonly JsonObject[])[];
      /** Of the last event; absent: `STOP`. `null`: it never comes, and the connection ends. */
      readonly finishReason?: string | null;
      /** Members of the last candidate beside. */
      readonly candidate?: JsonObject;
      readonly usage?: JsonObject;
      /** Bytes that are written at once. */
      readonly bytes?: number;
    }
  | { readonly blockReason: string }
  | { readonly status: number; readonly error: JsonObject; readonly list?: boolean };

export interface ReceivedByGemini extends AskedOfGemini {
  readonly headers: IncomingMessage["headers"];
}

export const GEMINI_KEY = "AIza-test-key-of-the-fake";
const MODELS = [
  "gemini-3-flash-preview",
  "gemini-3-pro-preview",
  "gemini-2.5-flash",
  "gemini-2.5-pro",
  "gemini-2.0-flash",
];
const PATH = /^\/v1beta\/models\/([^/:?]+):(generateContent|streamGenerateContent)(\?alt=sse)?$/;
const USAGE: JsonObject = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };

export class GeminiServer {
  readonly received: ReceivedByGemini[] = [];
  /** With its version, as an upstream is configured. */
  readonly baseUrl: string;
  readonly #turnOf: (asked: ReceivedByGemini, attempt: number) => GeminiTurn;
  /** Signatures that it has given, which alone it takes back. */
  readonly #issued = new Set<string>();
  readonly #server: ReturnType<typeof createServer>;

  private constructor(
    server: ReturnType<typeof createServer>,
    turnOf: (asked: ReceivedByGemini, attempt: number) => GeminiTurn,
  ) {
    this.#server = server;
    this.#turnOf = turnOf;
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
  }

  /** @param turnOf what is answered to a request that the API takes; `attempt` counts those from 0. */
  static async start(turnOf: (asked: ReceivedByGemini, attempt: number) => GeminiTurn): Promise<GeminiServer> {
    const listening = createServer(KEPT, (request, response) => void server.#serve(request, response));
    listening.listen(0, "127.0.0.1");
    await once(listening, "listening");
    const server = new GeminiServer(listening, turnOf);
    return server;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const written = await text(request);
    const { url = "", method, headers } = request;
    const refused = keyFault(headers["x-goog-api-key"]);
    if (refused) return sendError(response, refused);
    if (method === "GET" && url.startsWith("/v1beta/models")) return send(response, 200, listOf(url));
    const [, model = "", verb, sse] = PATH.exec(url) ?? [];
    const known = method === "POST" && MODELS.some((name) => model === name || model.startsWith(`${name}-`));
    if (!known) return sendError(response, { status: 404, error: notFound(model || url) });
    const streamed = verb === "streamGenerateContent";
    const asked = { model, streamed, body: JSON.parse(written) as JsonObject, headers };
    const fault = refusalOf(asked, this.#issued);
    if (fault) return sendError(response, { status: 400, error: { message: fault, status: "INVALID_ARGUMENT" } });
    this.received.push(asked);
    const turn = this.#turnOf(asked, this.received.length - 1);
    if ("status" in turn) return sendError(response, turn);
    const events = this.#eventsOf(turn, asked);
    if (!streamed) return send(response, 200, wholeOf(events));
    await stream(response, events, { sse: sse !== undefined, bytes: "bytes" in turn ? turn.bytes : undefined });
  }

  #eventsOf(turn: Exclude<GeminiTurn, { status: number }>, { model }: AskedOfGemini): readonly JsonObject[] {
    const around = { modelVersion: model, responseId: "resp-1" };
    if ("blockReason" in turn)
      return [
        { promptFeedback: { blockReason: turn.blockReason }, usageMetadata: { promptTokenCount: 11 }, ...around },
      ];
    const { events, finishReason = "STOP", candidate, usage = USAGE } = turn;
    return events.map((parts, index) => {
      for (const { thoughtSignature } of parts) if (thoughtSignature) this.#issued.add(String(thoughtSignature));
      const isLast = index === events.length - 1;
      const content = { parts, role: "model" };
      const end = isLast ? { ...(finishReason !== null && { finishReason }), ...candidate } : {};
      const hasContent = parts.length > 0 || generation(model) < 3;
      return {
        candidates: [{ ...(hasContent && { content }), ...end, index: 0 }],
        usageMetadata: isLast ? usage : { promptTokenCount: usage.promptTokenCount ?? 0, totalTokenCount: 11 },
        ...around,
      };
    });
  }
}

function keyFault(key: string | string[] | undefined): Extract<GeminiTurn, { status: number }> | undefined {
  if (key === GEMINI_KEY) return undefined;
  if (key === undefined) {
    const message = "Method doesn't allow unregistered callers (callers without established identity).";
    return { status: 403, error: { message, status: "PERMISSION_DENIED" } };
  }
  const reason = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" };
  const message = "API key not valid. Please pass a valid API key.";
  return { status: 400, error: { message, status: "INVALID_ARGUMENT", details: [reason] } };
}

function notFound(model: string): JsonObject {
  const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
  return { message, status: "NOT_FOUND" };
}

function listOf(url: string): JsonObject {
  const methods = (name: string) =>
    name.startsWith("gemini") ? ["generateContent", "countTokens"] : ["embedContent", "countTextTokens"];
  const models = [...MODELS, "text-embedding-004"].map((name) => ({
    name: `models/${name}`,
    displayName: name,
    description: `What ${name} is.`,
    supportedGenerationMethods: methods(name),
  }));
  const size = Number(new URL(url, "http://fake").searchParams.get("pageSize") ?? 2);
  return { models: models.slice(0, size), ...(size < models.length && { nextPageToken: "more" }) };
}

/** All parts in one candidate, text beside text joined, as Google answers what is not streamed. */
function wholeOf(events: readonly JsonObject[]): JsonObject {
  const last = events.at(-1) ?? {};
  const parts: JsonObject[] = [];
  for (const event of events) for (const part of partsOf(event)) addPart(parts, part);
  const [candidate] = (last.candidates ?? []) as readonly JsonObject[];
  return candidate ? { ...last, candidates: [{ ...candidate, content: { parts, role: "model" } }] } : last;
}

function partsOf(event: JsonObject): readonly JsonObject[] {
  const [candidate] = (event.candidates ?? []) as readonly { readonly content?: { readonly parts: JsonObject[] } }[];
  return candidate?.content?.parts ?? [];
}

function addPart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1);
  const joins = last && typeof last.text === "string" && typeof part.text === "string" && last.thought === part.thought;
  if (joins && last.thoughtSignature === undefined)
    parts[parts.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` };
  else parts.push(part);
}

async function stream(
  response: ServerResponse,
  events: readonly JsonObject[],
  { sse, bytes }: { readonly sse: boolean; readonly bytes: number | undefined },
): Promise<void> {
  response.writeHead(200, { "content-type": sse ? "text/event-stream" : "application/json; charset=UTF-8" });
  const body = sse ? events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("") : JSON.stringify(events);
  const written = Buffer.from(body);
  for (let at = 0; at < written.length; at += bytes ?? written.length) {
    const piece = written.subarray(at, at + (bytes ?? written.length));
    await new Promise((done) => response.write(piece, done));
  }
  response.end();
}

function sendError(response: ServerResponse, { status, error, list }: Extract<GeminiTurn, { status: number }>): void {
  const body: JsonObject = { error: { code: status, ...error } };
  send(response, status, list ? [body] : body);
}

function send(response: ServerResponse, status: number, body: JsonObject | readonly JsonObject[]): void {
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
  response.end(JSON.stringify(body));
}
