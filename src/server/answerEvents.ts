// One stream of events → one answer, streamed or plain. The only place where the two differ. Knows no agent, no request field and no wire.
import type { Response } from "express";
import { Collector, OUTLINE, type Outline } from "../core/collect.ts";
import type { RunEvent } from "../core/events.ts";
import { failure } from "../core/failures.ts";
import type { Take, Taken } from "../core/take.ts";
import { sendFailure } from "./errorHandler.ts";
import { pacedOf } from "./PacedResponse.ts";
import { SseStream } from "./SseStream.ts";
import type { AnswerEncoder, PartialAnswer, Wire } from "./wires/Wire.ts";

export interface AnswerOptions {
  readonly wire: Wire;
  readonly answer: AnswerEncoder;
  readonly stream: boolean;
}

/** Begins what gives the events of an answer; resolves when it is over. */
type Ask = (take: Take<RunEvent>) => Promise<void>;

/** Answers with the events that `ask` gives; resolves when the answer has been handed over or the client has left. */
export async function answerEvents(response: Response, ask: Ask, options: AnswerOptions): Promise<void> {
  await (options.stream ? streamAnswer : plainAnswer)(response, ask, options);
}

async function plainAnswer(response: Response, ask: Ask, { wire, answer }: AnswerOptions): Promise<void> {
  const collector = new Collector();
  await ask((events) => {
    for (const event of events) collector.add(event);
    return undefined;
  });
  const collected = endedOrFailed(collector.value());
  if (response.destroyed) return;
  setModeHeader(response, collected);
  if (collected.failure) return await sendFailure(response, collected.failure, { wire, partial: partialOf(collected) });
  response.setHeader("x-postel-formats", collected.formats.join(","));
  response.setHeader("x-postel-repairs", collected.repairs.join(","));
  response.setHeader("x-postel-attempts", String(collected.end?.attempts ?? 0));
  await pacedOf(response).json(answer.whole(collected));
}

async function streamAnswer(response: Response, ask: Ask, { wire, answer }: AnswerOptions): Promise<void> {
  // What has left is not kept: an answer may be longer than a process has memory for all who read one.
  const outliner = new Collector(OUTLINE);
  const encoder = answer.stream();
  const sse = new SseStream(pacedOf(response), () => setModeHeader(response, outliner.outline()));
  // Held until something has come that only an upstream that answered can give; until then its 401 is still ours.
  let held: readonly RunEvent[] = [];
  try {
    await ask((events) => {
      for (const event of events) outliner.add(event);
      const ready = held.length > 0 ? [...held, ...events] : events;
      const opens = sse.opened || events.some(provesAnswer);
      held = opens ? [] : ready;
      return opens ? sendEvents(sse, encoder.events(ready)) : undefined;
    });
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

/** A promise only where something has to be waited for. */
function sendEvents(sse: SseStream, text: string | Promise<string>): Taken | Promise<Taken> {
  if (typeof text !== "string") return text.then((later) => sendEvents(sse, later));
  return sse.send(text)?.then(() => undefined);
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
