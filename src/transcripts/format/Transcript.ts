// The transcript file: JSON Lines with one header, then the lines of each exchange, program and tool server.
import { z } from "zod";
import { createFailure, FAILURE_CODES, type FailureCode, PostelError } from "../../core/failures.ts";
import type { JsonValue } from "../../core/messages.ts";
import {
  groupByKind,
  isLine,
  LINE_SCHEMAS,
  type LinesByKind,
  listRecordedLines,
  type RecordedLine,
} from "./RecordedLine.ts";

/** The model in the header of a run that has asked none by name. */
export const UNNAMED = "unknown";

export interface Transcript extends LinesByKind {
  readonly header: TranscriptHeader;
  /** In the order of sending. */
  readonly exchanges: readonly RecordedExchange[];
}

/**
 * The first line: what the recording shows, and the expected response of the gateway. `request` is the request of the caller in the form of
 * the HTTP contract. If it is absent, an agent got the question `asked` and nothing else. `row` is the operator's profile of the model,
 * as it was written; a replay uses it.
 */
export type TranscriptHeader = z.infer<typeof HEADER>;

/**
 * Response that the client sees when the transcript is replayed. An absent field is not compared.
 * `content` is the text of all turns. `tool_results` are the results of the gateway's own tools in an agent run. `tool_calls` are the calls
 * for the client. `error` is the code of the failure that ended the answer. `outcome` is the outcome of a run, and `output` its result
 * in the form that its agent declares.
 */
export type Expectation = z.infer<typeof EXPECTATION>;

/** One attempt on the wire. Times are milliseconds after the request was sent. */
export interface RecordedExchange {
  /** The exchange's number at sending; grows within a file. */
  readonly n: number;
  /** The request or run that caused it. */
  readonly run: string;
  /** The model turn (from 0) to which it belongs; absent if the recorder did not know it. */
  readonly turn?: number | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed if it was JSON, else its text. A hand-written recording may omit it: any body then matches. */
  readonly body?: JsonValue | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** Absent if the exchange failed before any response. */
  readonly response?: RecordedResponse | undefined;
  readonly chunks: readonly RecordedChunk[];
  readonly end: RecordedEnd;
}

export interface RecordedResponse {
  readonly ms: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RecordedChunk {
  readonly ms: number;
  readonly bytes: Uint8Array;
}

/** `complete`: the body ended; `aborted`: the gateway left; `broken`: the connection broke, with its failure. */
export interface RecordedEnd {
  readonly ms: number;
  readonly how: "complete" | "aborted" | "broken";
  readonly failure?: { readonly code: FailureCode; readonly message: string } | undefined;
}

/**
 * Parses a transcript. Throws `invalid_configuration` with `file:line` and the expected content.
 * @param file only for messages.
 */
export function parseTranscript(text: string, file: string): Transcript {
  const lines = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [{ line, number: index + 1 }]));
  const [first, ...rest] = lines;
  if (!first)
    throw createTranscriptError(`${file}:1`, "the file is empty; its first line must be the transcript's header");
  const header = parseLine(HEADER, first.line, `${file}:${first.number}`);
  const open = new Map<number, Draft>();
  const allLines: RecordedLine[] = [];
  let last = -1;
  for (const { line, number } of rest) {
    const where = `${file}:${number}`;
    const entry = parseLine(ENTRY, line, where);
    if (isLine(entry)) {
      // Built from JSON.parse, so its records are JsonObjects, although zod types them as unknown.
      allLines.push(entry as RecordedLine);
      continue;
    }
    if (entry.type === "request") {
      if (entry.n <= last)
        throw createTranscriptError(where, `request ${entry.n} comes after request ${last}; numbers must grow`);
      last = entry.n;
      const { type: _, body, ...request } = entry;
      // Built from JSON.parse, so it is a JsonValue; zod's own JSON type is only mutable.
      open.set(entry.n, {
        request: { ...request, ...(body !== undefined && { body: body as JsonValue }) },
        chunks: [],
      });
      continue;
    }
    const draft = open.get(entry.n);
    if (!draft)
      throw createTranscriptError(
        where,
        `there is no request line of number ${entry.n} before this ${entry.type} line`,
      );
    extend(draft, entry, where);
  }
  const exchanges = [...open.values()].map((draft) => finish(draft, file));
  return { header, exchanges, ...groupByKind(allLines) };
}

type Entry = z.infer<typeof ENTRY>;

/** The text of a transcript's file, ending in a newline. */
export function formatTranscript(transcript: Transcript): string {
  return [...encodeTranscript(transcript)].join("");
}

/** The lines of a transcript's file, each with its newline. */
export function* encodeTranscript(transcript: Transcript): Generator<string> {
  yield encodeLine(transcript.header);
  for (const exchange of transcript.exchanges) yield* encodeExchange(exchange);
  for (const line of listRecordedLines(transcript)) yield encodeLine(line);
}

/** Encodes the lines of one exchange. The next exchange follows them. */
export function* encodeExchange(exchange: RecordedExchange): Generator<string> {
  const { n, run, turn, method, url, headers, body, at, response, chunks, end } = exchange;
  yield encodeLine({ type: "request", n, run, turn, method, url, headers, body, at });
  if (response) yield encodeLine({ type: "response", n, ...response });
  for (const { ms, bytes } of chunks) yield encodeLine({ type: "chunk", n, ms, ...encode(bytes) });
  yield encodeLine({ type: "end", n, ...end });
}

/** The line of an entry, with its newline. */
export function encodeLine(entry: unknown): string {
  return `${JSON.stringify(entry)}\n`;
}

const EXPECTATION = z.strictObject({
  content: z.string().nullable().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })).optional(),
  tool_results: z
    .array(z.strictObject({ name: z.string(), content: z.string(), is_error: z.boolean().optional() }))
    .optional(),
  finish_reason: z.string().nullable().optional(),
  attempts: z.int().min(1).optional(),
  formats: z.array(z.string()).optional(),
  error: z.string().optional(),
  outcome: z.string().optional(),
  output: z.unknown().optional(),
  sources: z
    .array(
      z.strictObject({
        tool: z.string(),
        title: z.string().optional(),
        url: z.string().optional(),
        id: z.string().optional(),
      }),
    )
    .optional(),
});

const REQUEST = z.strictObject({
  path: z.enum(["/v1/agent", "/v1/chat/completions"]),
  tool_mode: z.enum(["native", "text"]).optional(),
  on_invalid: z.enum(["error", "text", "pass"]).optional(),
  parse: z.literal("off").optional(),
  body: z.record(z.string(), z.unknown()),
});

const HEADER = z.strictObject({
  postel: z.literal("transcript"),
  version: z.literal(1),
  model: z.string(),
  description: z.string(),
  asked: z.string(),
  request: REQUEST.optional(),
  row: z.record(z.string(), z.unknown()).optional(),
  recorded_at: z.iso.datetime(),
  expected: EXPECTATION.optional(),
});

const number = z.int().min(0);
const ms = z.number().min(0);
const headers = z.record(z.string(), z.string());

const ENTRY = z.discriminatedUnion("type", [
  ...LINE_SCHEMAS,
  z.strictObject({
    type: z.literal("request"),
    n: number,
    run: z.string(),
    turn: number.optional(),
    method: z.string(),
    url: z.url(),
    headers,
    body: z.unknown().optional(),
    at: z.iso.datetime(),
  }),
  z.strictObject({ type: z.literal("response"), n: number, ms, status: z.int().min(100).max(599), headers }),
  z.strictObject({
    type: z.literal("chunk"),
    n: number,
    ms,
    text: z.string().optional(),
    base64: z.base64().optional(),
  }),
  z.strictObject({
    type: z.literal("end"),
    n: number,
    ms,
    how: z.enum(["complete", "aborted", "broken"]),
    failure: z
      .strictObject({ code: z.enum(Object.keys(FAILURE_CODES) as FailureCode[]), message: z.string() })
      .optional(),
  }),
]);

type LaterEntry = Exclude<Entry, { type: "request" | RecordedLine["type"] }>;

interface Draft {
  readonly request: Omit<RecordedExchange, "response" | "chunks" | "end">;
  response?: RecordedResponse;
  readonly chunks: RecordedChunk[];
  end?: RecordedEnd;
}

function parseLine<T>(schema: z.ZodType<T>, line: string, where: string): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw createTranscriptError(where, "the line is not JSON");
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw createTranscriptError(
    where,
    `${issue?.path.join(".") || "line"}: ${issue?.message ?? "not a transcript line"}`,
  );
}

function extend(draft: Draft, entry: LaterEntry, where: string): void {
  if (draft.end) throw createTranscriptError(where, `exchange ${entry.n} has already ended`);
  switch (entry.type) {
    case "response":
      if (draft.response) throw createTranscriptError(where, `exchange ${entry.n} already has a response`);
      draft.response = { ms: entry.ms, status: entry.status, headers: entry.headers };
      return;
    case "chunk":
      if (!draft.response)
        throw createTranscriptError(where, `exchange ${entry.n} has no response line before this chunk`);
      draft.chunks.push({ ms: entry.ms, bytes: decode(entry, where) });
      return;
    case "end":
      if (!draft.response && entry.how === "complete")
        throw createTranscriptError(where, `exchange ${entry.n} ends without response`);
      draft.end = { ms: entry.ms, how: entry.how, ...(entry.failure && { failure: entry.failure }) };
      return;
    default:
      entry satisfies never;
  }
}

function finish(draft: Draft, file: string): RecordedExchange {
  if (!draft.end)
    throw createTranscriptError(file, `exchange ${draft.request.n} has no end line; the file may have been cut`);
  return {
    ...draft.request,
    ...(draft.response && { response: draft.response }),
    chunks: draft.chunks,
    end: draft.end,
  };
}

function decode(chunk: { text?: string | undefined; base64?: string | undefined }, where: string): Uint8Array {
  if (chunk.text !== undefined && chunk.base64 === undefined) return Buffer.from(chunk.text, "utf8");
  if (chunk.base64 !== undefined && chunk.text === undefined) return Buffer.from(chunk.base64, "base64");
  throw createTranscriptError(where, "a chunk has either text or base64");
}

/** A piece may end within a character. Only base64 preserves such bytes. */
function encode(bytes: Uint8Array): { text: string } | { base64: string } {
  const text = Buffer.from(bytes).toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? { text } : { base64: Buffer.from(bytes).toString("base64") };
}

function createTranscriptError(where: string, message: string): PostelError {
  return new PostelError(createFailure("invalid_configuration", `${where} ${message}`));
}
