// One stream of events → one answer, streamed or plain. The only place where the two differ. Knows no agent and no request field.
import type { Response } from "express";
import { Collector, OUTLINE, type Outline } from "../core/collect.ts";
import type { RunEvent } from "../core/events.ts";
import { failure } from "../core/failures.ts";
import { sendFailure } from "./errorHandler.ts";
import { openaiError, type Partial } from "./openaiError.ts";
import { type AnswerFrame, ChunkEncoder, completion } from "./openaiResponse.ts";
import { pacedOf } from "./PacedResponse.ts";
import { SseStream } from "./SseStream.ts";
import { TurnReport } from "./TurnReport.ts";

export interface AnswerOptions {
  readonly frame: AnswerFrame;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** The caller asked for the model's own text in issues. */
  readonly raw: boolean;
  /** An agent run: its events travel in the stream. */
  readonly agent: boolean;
}

/** Drains `events` into `response`; resolves when the answer has been handed over or the client has left. */
export async function answerEvents(
  response: Response,
  events: AsyncIterable<RunEvent>,
  options: AnswerOptions,
): Promise<void> {
  await (options.stream ? streamAnswer : plainAnswer)(response, events, options);
}

async function plainAnswer(response: Response, events: AsyncIterable<RunEvent>, options: AnswerOptions): Promise<void> {
  const collector = new Collector();
  const report = new TurnReport();
  for await (const event of events) {
    collector.add(event);
    report.add(event);
  }
  const collected = endedOrFailed(collector.value());
  if (response.destroyed) return;
  setModeHeader(response, collected);
  if (collected.failure) return await sendFailure(response, collected.failure, partialOf(collected));
  response.set({
    "x-postel-formats": report.formats.join(","),
    "x-postel-repairs": report.repairs.join(","),
    "x-postel-attempts": String(collected.end?.attempts ?? 0),
  });
  await pacedOf(response).json(completion(options.frame, collected, report.block(collected, options.raw)));
}

async function streamAnswer(
  response: Response,
  events: AsyncIterable<RunEvent>,
  options: AnswerOptions,
): Promise<void> {
  // What has left is not kept: an answer may be longer than a process has memory for all who read one.
  const outliner = new Collector(OUTLINE);
  const report = new TurnReport();
  const encoder = new ChunkEncoder(options.frame, { usage: options.includeUsage, runEvents: options.agent });
  const sse = new SseStream(pacedOf(response), () => setModeHeader(response, outliner.outline()));
  // Held until something has come that only an upstream that answered can give; until then its 401 is still ours.
  const held: RunEvent[] = [];
  try {
    for await (const event of events) {
      outliner.add(event);
      report.add(event);
      held.push(event);
      if (!sse.opened && !provesAnswer(event)) continue;
      for (const ready of held.splice(0)) await sendAll(sse, encoder.chunks(ready));
    }
    const outline = endedOrFailed(outliner.outline());
    if (outline.failure && !sse.opened)
      return await sendFailure(response, outline.failure, partialOf({ ...outline, text: "" }));
    for (const ready of held) await sendAll(sse, encoder.chunks(ready));
    // What a stream has reached its reader has seen.
    if (outline.failure) return await sse.endWithError(openaiError(outline.failure).body);
    await sendAll(sse, encoder.last(outline, report.block(outline, options.raw)));
    await sse.end();
  } finally {
    sse.abandon();
  }
}

async function sendAll(sse: SseStream, chunks: ReturnType<ChunkEncoder["chunks"]>): Promise<void> {
  for (const chunk of chunks) await sse.send(chunk);
}

function provesAnswer(event: RunEvent): boolean {
  switch (event.type) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-call":
    case "tool-start":
    case "tool-result":
      return true;
    default:
      return false;
  }
}

function setModeHeader(response: Response, { toolMode }: Outline): void {
  if (toolMode && !response.headersSent) response.setHeader("x-postel-tool-mode", toolMode);
}

/** A stream that broke its promise to end is an error, never a `stop`. */
function endedOrFailed<Said extends Outline>(said: Said): Said {
  if (said.failure || said.end) return said;
  return { ...said, failure: failure("internal_error", "The turn ended without saying how.") };
}

/** What was reached: text or a whole turn. What failed at its first step has nothing to show. */
function partialOf({ text, end, runId }: Outline & { readonly text: string }): Partial | undefined {
  return text !== "" || end ? { content: text, runId } : undefined;
}
