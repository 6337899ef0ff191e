// Serves a folder of transcripts as models over the OpenAI wire, without a network.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setBounded } from "../../core/async/setBounded.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { Egress, EgressRequest, EgressResponse } from "../../core/ports.ts";
import { parseTranscript, type RecordedExchange, type TranscriptHeader } from "../format/Transcript.ts";
import { replayExchange } from "./replayExchange.ts";

/**
 * Every `*.jsonl` of a folder is a model of the file's name. It plays its script whatever it is asked, and says so in the
 * response's `note`. Which exchange is due: within a run that it knows, the next one (retries and corrections too); for a run
 * it has not seen, the first of turn t, where t counts the assistant messages since the last question. After the last exchange the last repeats.
 */
export class RecordedModels implements Egress {
  readonly #models: ReadonlyMap<string, RecordedModel>;
  /** The next exchange by run and model, least recently used first. */
  readonly #cursors = new Map<string, number>();

  /** Reads the folder once. Throws `invalid_configuration` for a folder that cannot be read or a faulty file. */
  constructor(folder: string) {
    this.#models = new Map(readFolder(folder).map((model) => [model.name, model]));
  }

  async send(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const route = `${request.method} ${new URL(request.url).pathname}`;
    if (route === "GET /v1/models") return json(200, this.#list());
    if (route !== "POST /v1/chat/completions") {
      return json(404, createErrorBody(`Recorded models do not serve ${route}.`, "not_found", null));
    }
    const body = JSON.parse(request.body ?? "{}") as JsonObject;
    const model = this.#models.get(String(body.model));
    if (!model) {
      const message = `There is no recorded model "${String(body.model)}". There are: ${[...this.#models.keys()].join(", ")}.`;
      return json(404, createErrorBody(message, "model_not_found", "model"));
    }
    const exchange = this.#next(model, request.purpose.run, body);
    const pieces = exchange.chunks.map(({ bytes }) => bytes);
    const matchNote = `recording "${model.name}": it was asked ${JSON.stringify(model.header.asked)}`;
    return { ...replayExchange(exchange, pieces, signal), note: matchNote };
  }

  #list(): JsonObject {
    const data = [...this.#models.values()].map(({ name, header }) => ({
      id: name,
      object: "model",
      created: Math.floor(Date.parse(header.recorded_at) / 1_000),
      owned_by: "recorded",
      description: header.description,
    }));
    return { object: "list", data };
  }

  #next(model: RecordedModel, run: string, body: JsonObject): RecordedExchange {
    const key = `${run}\n${model.name}`;
    const nextIndex = this.#cursors.get(key) ?? firstOfTurn(model.exchanges, countTurns(body.messages));
    const index = Math.min(skipRefusedTools(model.exchanges, nextIndex, body), model.exchanges.length - 1);
    setBounded(this.#cursors, { key, value: index + 1, maxSize: MAX_RUNS });
    const scripted = model.exchanges[index];
    if (!scripted) throw createTranscriptError(`${model.name}.jsonl has no exchange with a model.`);
    return scripted.exchange;
  }
}

/** Runs whose place in the script is remembered. A forgotten one goes on by what its messages show. */
const MAX_RUNS = 1_000;

interface RecordedModel {
  readonly name: string;
  readonly header: TranscriptHeader;
  readonly exchanges: readonly ScriptedExchange[];
}

interface ScriptedExchange {
  readonly turn: number;
  readonly exchange: RecordedExchange;
}

function readFolder(folder: string): RecordedModel[] {
  let files: string[];
  try {
    files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  } catch (error) {
    throw createTranscriptError(
      `The folder of recorded models, ${folder}, cannot be read. Check the upstream's \`transcripts\`.`,
      error,
    );
  }
  return files.sort().map((file) => {
    const path = join(folder, file);
    const { header, exchanges } = parseTranscript(readFileSync(path, "utf8"), path);
    // The tools of a recorded run really run, so only its exchanges with the model are played.
    const script = addTurnNumbers(exchanges.filter(({ url }) => new URL(url).pathname.endsWith("/chat/completions")));
    if (script.length === 0)
      throw createTranscriptError(`${path} has no exchange with a model: no request to …/chat/completions.`);
    return { name: basename(file, ".jsonl"), header, exchanges: script };
  });
}

/** If a recording has no turn numbers, the exchange after a failed one is another attempt of the same turn. */
function addTurnNumbers(exchanges: readonly RecordedExchange[]): ScriptedExchange[] {
  let turn = 0;
  return exchanges.map((exchange) => {
    turn = exchange.turn ?? turn;
    const scripted = { turn, exchange };
    const succeeded = exchange.end.how === "complete" && (exchange.response?.status ?? 500) < 400;
    if (succeeded) turn += 1;
    return scripted;
  });
}

/** Past the last turn: the last exchange. */
function firstOfTurn(exchanges: readonly ScriptedExchange[], turn: number): number {
  const index = exchanges.findIndex((exchange) => exchange.turn >= turn);
  return index === -1 ? exchanges.length - 1 : index;
}

/** A request without tools is never answered by the refusal of tools: the gateway has learnt that one and goes on from there. */
function skipRefusedTools(exchanges: readonly ScriptedExchange[], nextIndex: number, body: JsonObject): number {
  if (body.tools !== undefined) return nextIndex;
  const index = exchanges.findIndex(({ exchange }, at) => at >= nextIndex && !isToolRefusal(exchange));
  return index === -1 ? nextIndex : index;
}

function isToolRefusal({ body, response }: RecordedExchange): boolean {
  const status = response?.status ?? 0;
  return isObject(body) && body.tools !== undefined && status >= 400 && status < 500 && status !== 429;
}

/** Number of assistant messages after the last user message that is a question, not a tool result in text mode. */
function countTurns(messages: JsonValue | undefined): number {
  const list: readonly JsonValue[] = Array.isArray(messages) ? messages : [];
  const question = list.findLastIndex((message) => getRole(message) === "user" && !isResult(message));
  return list.slice(question + 1).filter((message) => getRole(message) === "assistant").length;
}

/** Start of a tool result that a prompt gives as user text: a label, a tag or a fence. */
const RESULT_OPENING = /^\s*(?:Observation:|<[^>\s]{0,40}(?:response|result|output)|\[TOOL_RESULT|```tool_output)/i;

function isResult(message: JsonValue): boolean {
  const content = isObject(message) ? message.content : null;
  return typeof content === "string" && RESULT_OPENING.test(content);
}

function getRole(message: JsonValue): JsonValue | undefined {
  return isObject(message) ? message.role : undefined;
}

function json(status: number, body: JsonObject): EgressResponse {
  const bytes = Buffer.from(JSON.stringify(body));
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  return { status, headers: { "content-type": "application/json" }, body: chunks() };
}

function createErrorBody(message: string, code: string, param: string | null): JsonObject {
  return { error: { message, type: "invalid_request_error", param, code } };
}

function createTranscriptError(message: string, cause?: unknown): PostelError {
  return new PostelError(createFailure("invalid_configuration", message), { cause });
}
