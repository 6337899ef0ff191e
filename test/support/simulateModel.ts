// A model behind FakeUpstream: it writes calls in any format of the catalogue, and has a fault if it is told to.
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../src/core/messages.ts";
import { renderCall } from "../../src/formats/prompts/toolSection.ts";
import { RENDERINGS } from "../../src/formats/specs/prompts.ts";
import { type Answer, delta, sendError, type UpstreamRequest } from "./FakeUpstream.ts";

/**
 * - `leak`: the calls are in the text, although the server takes tools.
 * - `cut`: the answer ends inside its last call, with `length`.
 * - `wrong-closer`: the last closing tag is one of another format.
 * - `drip`: each character is an event of its own.
 * - `dying-stream`: the connection breaks after half of the answer.
 * - `refusal`: the server refuses a request with tools.
 * - `429`: the server refuses the first request of the turn, and may be asked again at once.
 */
type Fault = "leak" | "cut" | "wrong-closer" | "drip" | "dying-stream" | "refusal" | "429";

export interface SimulatedCall {
  readonly name: string;
  /** As JSON text: exactly what the model writes. */
  readonly arguments: object | string;
}

export interface SimulatedTurn {
  readonly text?: string;
  readonly calls?: readonly SimulatedCall[];
  /** A format of the catalogue, in which the calls are part of the text; absent: they are in `tool_calls`. */
  readonly format?: string;
  readonly fault?: Fault;
  /** The tokens that the server counts; absent: it counts none. A small count beside many tools means that it dropped them. */
  readonly usage?: object | undefined;
}

interface Example {
  readonly id: string;
  /** Text of the call `weather({"city": "Oslo"})`. */
  readonly example: string;
}

const EXAMPLES: ReadonlyMap<string, string> = new Map(
  readFileSync("fixtures/outputs/families.jsonl", "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Example)
    .map(({ id, example }) => [id, example]),
);

/** The ids of the catalogue's formats. */
export const CATALOGUE: readonly string[] = [...EXAMPLES.keys()];

/**
 * Answers each chat request with its turn; every other path gets a list with one model.
 * @param play a turn for all requests, or the turn of a request; `n` counts the answered requests from 0.
 */
export function simulateModel(
  play: SimulatedTurn | ((request: UpstreamRequest, n: number) => SimulatedTurn | Promise<SimulatedTurn>),
): Answer {
  let answered = 0;
  let busy = false;
  return async (request, response) => {
    if (!request.path.endsWith("/chat/completions"))
      return void response.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }));
    const turn = typeof play === "function" ? await play(request, answered) : play;
    if (turn.fault === "refusal" && request.body.tools)
      return sendError(response, 400, "This model does not support tools.");
    busy = turn.fault === "429" && !busy;
    if (busy) {
      response.setHeader("retry-after", "0");
      return sendError(response, 429, "Too many requests.");
    }
    answered += 1;
    return sendTurn(response, turn, request.body.stream === true);
  };
}

/** A model that makes the next calls once after each message of its user, and then says that it is done. */
export function callOnce(next: () => readonly SimulatedCall[]): Answer {
  return simulateModel(({ body: { messages } }) => {
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
    return since.some(({ role }) => role === "tool") || next().length === 0 ? { text: "Done." } : { calls: next() };
  });
}

/** The results of tools that the model read in this request, in their order. */
export function resultsIn({ body }: Pick<UpstreamRequest, "body">): readonly string[] {
  return body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

/** Sends one turn, streamed or as one document. */
export function sendTurn(response: ServerResponse, turn: SimulatedTurn, streamed: boolean): void {
  const { content, toolCalls, finish } = writeTurn(turn);
  const { usage } = turn;
  if (streamed) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pieces = content.match(turn.fault === "drip" ? /./gsu : /\s*\S+\s*/g) ?? [];
    const deltas = [
      ...pieces.map((piece) => delta({ content: piece })),
      ...toolCalls.map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
    ];
    const counted = usage ? [{ ...delta({}), choices: [], usage: usage as JsonObject }] : [];
    send(response, [...deltas, delta({}, finish), ...counted].map(eventOf), "data: [DONE]\n\n", turn.fault);
    return;
  }
  const message = {
    role: "assistant",
    content: content === "" && toolCalls.length > 0 ? null : content,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  const choices = [{ index: 0, message, finish_reason: finish }];
  response.writeHead(200, { "content-type": "application/json" });
  const document = JSON.stringify({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices,
    ...(usage && { usage }),
  });
  send(response, document.match(/.{1,40}/gsu) ?? [], "", turn.fault);
}

function send(response: ServerResponse, pieces: readonly string[], end: string, fault: Fault | undefined): void {
  const dies = fault === "dying-stream";
  for (const piece of dies ? pieces.slice(0, Math.ceil(pieces.length / 2)) : pieces) response.write(piece);
  if (!dies) response.end(end);
  // What was written has to leave before the connection breaks.
  else response.write("", () => response.destroy());
}

function writeTurn({ text = "", calls = [], format, fault }: SimulatedTurn) {
  const inText = format ?? (fault === "leak" || fault === "wrong-closer" ? "hermes-json" : undefined);
  if (calls.length === 0 || inText === undefined) {
    const finish = fault === "cut" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
    return { content: fault === "cut" ? half(text) : text, toolCalls: calls.map(toolCallOf), finish };
  }
  const written = calls.map((call) => writeCall(call, inText)).join("\n");
  const content = [text, withFault(written, fault, inText)].filter((part) => part !== "").join("\n");
  return { content, toolCalls: [], finish: fault === "cut" ? "length" : "stop" };
}

/** The text of a call in this format. A format that no model is asked for can write `weather({"city": …})` only. */
function writeCall({ name, arguments: args }: SimulatedCall, format: string): string {
  if (RENDERINGS.has(format)) return renderCall({ name, arguments: jsonOf(args) }, format);
  const example = EXAMPLES.get(format);
  if (example === undefined) throw new Error(`The catalogue has no format ${format}.`);
  if (name !== "weather" || Object.keys(args).join() !== "city")
    throw new Error(`A model cannot be asked for the format ${format}; it is simulated for weather({"city": …}) only.`);
  return example.replace("Oslo", String((args as JsonObject).city));
}

function withFault(written: string, fault: Fault | undefined, format: string): string {
  if (fault === "cut") return half(written);
  if (fault !== "wrong-closer") return written;
  const at = written.lastIndexOf("</");
  if (at === -1) throw new Error(`The format ${format} has no closing tag.`);
  return `${written.slice(0, at)}</function_call>`;
}

function half(text: string): string {
  return text.slice(0, Math.ceil(text.length / 2));
}

function toolCallOf({ name, arguments: args }: SimulatedCall): JsonObject {
  return { id: drawCallId(), type: "function", function: { name, arguments: jsonOf(args) } };
}

function eventOf(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function jsonOf(args: SimulatedCall["arguments"]): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

let drawn = 0;

function drawCallId(): string {
  drawn += 1;
  return `call_${String(drawn).padStart(8, "0")}`;
}
