// Answers a request with a stream of events, streaming or non-streaming.
import type { ServerResponse } from "node:http";
import { type AnswerSummary, mergeSummaries } from "../../core/events/AnswerSummary.ts";
import { Collector, type CollectorOptions, SUMMARY_ONLY } from "../../core/events/Collector.ts";
import type { SinkSignal } from "../../core/events/EventSink.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { TextFastLane } from "../../core/events/TextFastLane.ts";
import { createFailure } from "../../core/failures.ts";
import type { AnswerEncoder, FrontApi, PartialAnswer, StreamEncoder } from "../apis/FrontApi.ts";
import { FastLaneWriter } from "../fastpath/FastLaneWriter.ts";
import type { TakeChoice } from "../routes/choices.ts";
import { sendFailure } from "./errorHandler.ts";
import { getRequestContext } from "./RequestContext.ts";
import type { ResponseWriter } from "./ResponseWriter.ts";
import { SseStream } from "./SseStream.ts";

export interface AnswerOptions {
  readonly wire: FrontApi;
  readonly answer: AnswerEncoder;
  readonly stream: boolean;
  /** Number of choices; absent: one. */
  readonly choices?: number | undefined;
  /** Id of the resumed run, if the answer is the rest of one; its first event was sent earlier. */
  readonly run?: string | undefined;
  /** Fast path by which text may be sent before its events arrive. */
  readonly ahead?: TextFastLane | undefined;
}

/** Starts the source of an answer's events; resolves at its end. */
type Ask = (take: TakeChoice) => Promise<void>;

/** Answers with the events that `ask` emits; resolves when the answer was written or the client has disconnected. */
export function answerEvents(response: ServerResponse, ask: Ask, options: AnswerOptions): Promise<void> {
  return (options.stream ? streamAnswer : sendWholeAnswer)(response, ask, options);
}

async function sendWholeAnswer(response: ServerResponse, ask: Ask, options: AnswerOptions): Promise<void> {
  const { wire, answer, run, choices } = options;
  const collectors = createCollectors(choices);
  await ask((events, choice = 0) => addEvents(collectors[choice], events));
  const collected = mapCollectors(collectors, (collector) => addRunId(collector.getCollected(), run));
  const outline = checkEnded(mergeSummaries(collected));
  if (response.destroyed) return;
  const { paced } = getRequestContext(response);
  setModeHeader(paced, outline);
  if (outline.failure) {
    const partial = collected.length === 1 ? toPartialAnswer({ ...outline, text: collected[0].text }) : undefined;
    return await sendFailure(response, outline.failure, { wire, partial });
  }
  paced.setHeader("x-postel-formats", outline.formats.join(","));
  paced.setHeader("x-postel-repairs", outline.repairs.join(","));
  paced.setHeader("x-postel-attempts", String(outline.end?.attempts ?? 0));
  await paced.json(answer.whole(collected));
}

async function streamAnswer(response: ServerResponse, ask: Ask, options: AnswerOptions): Promise<void> {
  const { wire, answer, choices, ahead, run } = options;
  // Events are dropped once they are sent: all answers together may be larger than the memory.
  const outliners = createCollectors(choices, SUMMARY_ONLY);
  const outlines = () => mapCollectors(outliners, (outliner) => addRunId(outliner.getSummary(), run));
  const encoder = answer.stream();
  const { paced } = getRequestContext(response);
  const sse = new SseStream(paced, () => setModeHeader(paced, mergeSummaries(outlines())));
  const writer = ahead && new FastLaneWriter(ahead, encoder, sse);
  // Events are buffered until one proves that the upstream answered; until then the gateway can still send an error status.
  let heldEvents: Held | undefined;
  try {
    await ask((events, choice = 0) => {
      addEvents(outliners[choice], events);
      const opens = sse.opened || events.some(provesAnswer);
      if (opens && !heldEvents) return sendEvents(sse, encoder.events(writer?.removeSent(events) ?? events, choice));
      heldEvents ??= new Map();
      const before = heldEvents.get(choice);
      heldEvents.set(choice, before ? [...before, ...events] : events);
      if (!opens) return undefined;
      writer?.addSent(events);
      const released = release(encoder, heldEvents);
      heldEvents = undefined;
      return sendEvents(sse, released);
    });
    const summaries = outlines();
    const outline = checkEnded(mergeSummaries(summaries));
    if (outline.failure && !sse.opened) {
      const partial = toPartialAnswer({ ...outline, text: "" });
      return await sendFailure(response, outline.failure, { wire, partial });
    }
    if (heldEvents) await sse.send(await release(encoder, heldEvents));
    // The client has already received what a failed stream produced.
    const closing = outline.failure ? encoder.failed(outline.failure) : encoder.end(summaries);
    await sse.end(typeof closing === "string" ? closing : await closing);
  } finally {
    sse.abandon();
  }
}

function addRunId<Said extends AnswerSummary>(summary: Said, run: string | undefined): Said {
  return run === undefined ? summary : { ...summary, runId: run };
}

/** Events of each choice that are not written yet. */
type Held = Map<number, readonly RunEvent[]>;

/** Encodes the buffered events of all choices; returns a promise only if a text is long. */
function release(encoder: StreamEncoder, bytes: Held): string | Promise<string> {
  const texts: (string | Promise<string>)[] = [];
  for (const [choice, events] of bytes) texts.push(encoder.events(events, choice));
  if (texts.every((text) => typeof text === "string")) return texts.join("");
  return Promise.all(texts).then((all) => all.join(""));
}

type OneOrMore<Value> = readonly [Value, ...Value[]];

function createCollectors(choices = 1, keeping?: CollectorOptions): OneOrMore<Collector> {
  const all: [Collector, ...Collector[]] = [new Collector(keeping)];
  while (all.length < choices) all.push(new Collector(keeping));
  return all;
}

function addEvents(collector: Collector | undefined, events: readonly RunEvent[]): undefined {
  if (collector) for (const event of events) collector.add(event);
}

function mapCollectors<Value>(
  [first, ...further]: OneOrMore<Collector>,
  value: (of: Collector) => Value,
): OneOrMore<Value> {
  return [value(first), ...further.map(value)];
}

/** Returns a promise only if something has to be awaited. */
function sendEvents(sse: SseStream, text: string | Promise<string>): SinkSignal | Promise<SinkSignal> {
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

function setModeHeader(paced: ResponseWriter, { toolMode }: AnswerSummary): void {
  if (toolMode) paced.setHeader("x-postel-tool-mode", toolMode);
}

/** A stream that ends without an end event is an error, never a `stop`. */
function checkEnded<Said extends AnswerSummary>(summary: Said): Said {
  if (summary.failure || summary.end) return summary;
  return { ...summary, failure: createFailure("internal_error", "The turn ended without saying how.") };
}

/** The partial answer, if there is text or a complete turn; undefined if the first step failed. */
function toPartialAnswer({ text, end, runId }: AnswerSummary & { readonly text: string }): PartialAnswer | undefined {
  return text !== "" || end ? { content: text, runId } : undefined;
}
