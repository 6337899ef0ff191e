// Recorded exchanges and requests for the tests of this folder.
import type { JsonObject } from "../../../src/core/messages.ts";
import type { EgressRequest } from "../../../src/core/ports.ts";
import type { RecordedExchange, TranscriptHeader } from "../../../src/transcripts/format/Transcript.ts";

export const CHAT_URL = "http://recorded.invalid/v1/chat/completions";

export const never: AbortSignal = new AbortController().signal;

export const HEADER: TranscriptHeader = {
  postel: "transcript",
  version: 1,
  model: "tide-model",
  description: "For a test.",
  asked: "When is low tide?",
  recorded_at: "2026-11-14T09:30:00.000Z",
};

export function recorded(n: number, rest: Partial<RecordedExchange> = {}): RecordedExchange {
  return {
    n,
    run: "run1",
    method: "POST",
    url: CHAT_URL,
    headers: {},
    at: "2026-11-14T09:30:00.000Z",
    response: { ms: 5, status: 200, headers: { "content-type": "text/event-stream" } },
    chunks: [{ ms: 6, bytes: Buffer.from(`answer ${n}`) }],
    end: { ms: 7, how: "complete" },
    ...rest,
  };
}

export function chat(body: JsonObject, run = "run1"): EgressRequest {
  return {
    method: "POST",
    url: CHAT_URL,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    purpose: { kind: "model", key: "recorded/tide-model", run, repeatable: true, timers: { headersMs: 1_000 } },
  };
}

export async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
