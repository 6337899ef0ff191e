// One stream of events → one answer, streamed or plain. The only place where the two differ. Knows no agent, no request field and no wire.
import type { Response } from "express";
import { Collector, OUTLINE, type Outline } from "../core/collect.ts";
import type { RunEvent } from "../core/events.ts";
import { failure } from "../core/failures.ts";
import { sendFailure } from "./errorHandler.ts";
import { pacedOf } from "./PacedResponse.ts";
import { SseStream } from "./SseStream.ts";
import type { AnswerEncoder, PartialAnswer, Wire } from "./wires/Wire.ts";

export interface AnswerOptions {
  readonly wire: Wire;
  readonly answer: AnswerEncoder;
  readonly stream: boolean;
}

/** Drains `events` into `response`; resolves when the answer has been handed over or the client has left. */
export async function answerEvents(
  response: Response,
  events: AsyncIterable<RunEvent>,
  options: AnswerOptions,
): Promise<void> {
  await (options.stream ? streamAnswer : plainAnswer)(response, events, options);
}

async function plainAnswer(
  response: Response,
  events: AsyncIterable<RunEvent>,
  { wire, answer }: AnswerOptions,
): Promise<void> {
  const collector = new Collector();
  for await (const event of events) collector.add(event);
  const collected = endedOrFailed(collector.value());
  if (response.destroyed) return;
  setModeHeader(response, collected);
  if (collected.failure) return await sendFailure(response, collected.failure, { wire, partial: partialOf(collected) });
  response.set({
    "x-postel-formats": collected.formats.join(","),
    "x-postel-repairs": collected.repairs.join(","),
    "x-postel-attempts": String(collected.end?.attempts ?? 0),
  });
  await pacedOf(response).json(answer.whole(collected));
}

async function streamAnswer(
  response: Response,
  events: AsyncIterable<RunEvent>,
  { wire, answer }: AnswerOptions,
): Promise<void> {
  // What has left is not kept: an answer may be longer than a process has memory for all who read one.
  const outliner = new Collector(OUTLINE);
  const encoder = answer.stream();
  const sse = new SseStream(pacedOf(response), () => setModeHeader(response, outliner.outline()));
  // Held until something has come that only an upstream that answered can give; until then its 401 is still ours.
  const held: RunEvent[] = [];
  try {
    for await (const event of events) {
      outliner.add(event);
      held.push(event);
      if (!sse.opened && !provesAnswer(event)) continue;
      await sse.send(await encoder.events(held.splice(0)));
    }
    const outline = endedOrFailed(outliner.outline());
    if (outline.failure && !sse.opened) {
      const partial = partialOf({ ...outline, text: "" });
      return await sendFailure(response, outline.failure, { wire, partial });
    }
    await sse.send(await encoder.events(held));
    // What a stream has reached its reader has seen.
    await sse.end(outline.failure ? await encoder.failed(outline.failure) : await encoder.end(outline));
  } finally {
    sse.abandon();
  }
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
function partialOf({ text, end, runId }: Outline & { readonly text: string }): PartialAnswer | undefined {
  return text !== "" || end ? { content: text, runId } : undefined;
}
