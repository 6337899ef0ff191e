// One stream of events → one answer, streamed or plain. The only place where the two differ. Knows no agent, no request field and no wire.
import type { ServerResponse } from "node:http";
import {
  type AnswerSummary,
  Collector,
  type CollectorOptions,
  mergeSummaries,
  SUMMARY_ONLY,
} from "../../core/events/Collector.ts";
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
  /** Answers that come; absent: one. */
  readonly choices?: number | undefined;
  /** The run that goes on, where the answer is the rest of one: its beginning, which names it, was told before. */
  readonly run?: string | undefined;
  /** By which words of the one answer may leave before their events come. */
  readonly ahead?: TextFastLane | undefined;
}

/** Begins what gives the events of an answer; resolves when it is over. */
type Ask = (take: TakeChoice) => Promise<void>;

/** Answers with the events that `ask` gives; resolves when the answer has been handed over or the client has left. */
export function answerEvents(response: ServerResponse, ask: Ask, options: AnswerOptions): Promise<void> {
  return (options.stream ? streamAnswer : plainAnswer)(response, ask, options);
}

function plainAnswer(response: ServerResponse, ask: Ask, options: AnswerOptions): Promise<void> {
  const collectors = createCollectors(options.choices);
  const heard = ask((events, choice = 0) => hear(collectors[choice], events));
  return heard.then(() => writeWhole(response, collectors, options));
}

/** A promise only where something has to be waited for. */
function writeWhole(
  response: ServerResponse,
  collectors: OneOrMore<Collector>,
  { wire, answer, run }: AnswerOptions,
): Promise<void> | undefined {
  const collected = mapCollectors(collectors, (collector) => withRun(collector.value(), run));
  const outline = endedOrFailed(mergeSummaries(collected));
  if (response.destroyed) return undefined;
  const { paced } = getRequestContext(response);
  setModeHeader(paced, outline);
  if (outline.failure) {
    const partial = collected.length === 1 ? toPartialAnswer({ ...outline, text: collected[0].text }) : undefined;
    return sendFailure(response, outline.failure, { wire, partial });
  }
  paced.setHeader("x-postel-formats", outline.formats.join(","));
  paced.setHeader("x-postel-repairs", outline.repairs.join(","));
  paced.setHeader("x-postel-attempts", String(outline.end?.attempts ?? 0));
  return paced.json(answer.whole(collected));
}

async function streamAnswer(response: ServerResponse, ask: Ask, options: AnswerOptions): Promise<void> {
  const { wire, answer, choices, ahead, run } = options;
  // What has left is not kept: an answer may be longer than a process has memory for all who read one.
  const outliners = createCollectors(choices, SUMMARY_ONLY);
  const outlines = () => mapCollectors(outliners, (outliner) => withRun(outliner.outline(), run));
  const encoder = answer.stream();
  const { paced } = getRequestContext(response);
  const sse = new SseStream(paced, () => setModeHeader(paced, mergeSummaries(outlines())));
  const writer = ahead && new FastLaneWriter(ahead, encoder, sse);
  // Held until something has come that only an upstream that answered can give; until then its 401 is still ours.
  let held: Held | undefined;
  try {
    await ask((events, choice = 0) => {
      hear(outliners[choice], events);
      const opens = sse.opened || events.some(provesAnswer);
      if (opens && !held) return sendEvents(sse, encoder.events(writer?.rest(events) ?? events, choice));
      held ??= new Map();
      const before = held.get(choice);
      held.set(choice, before ? [...before, ...events] : events);
      if (!opens) return undefined;
      writer?.follow(events);
      const released = release(encoder, held);
      held = undefined;
      return sendEvents(sse, released);
    });
    const ended = outlines();
    const outline = endedOrFailed(mergeSummaries(ended));
    if (outline.failure && !sse.opened) {
      const partial = toPartialAnswer({ ...outline, text: "" });
      return await sendFailure(response, outline.failure, { wire, partial });
    }
    if (held) await sse.send(await release(encoder, held));
    // What a stream has reached its reader has seen.
    const closing = outline.failure ? encoder.failed(outline.failure) : encoder.end(ended);
    await sse.end(typeof closing === "string" ? closing : await closing);
  } finally {
    sse.abandon();
  }
}

function withRun<Said extends AnswerSummary>(said: Said, run: string | undefined): Said {
  return run === undefined ? said : { ...said, runId: run };
}

/** What has come of each choice and is not written yet. */
type Held = Map<number, readonly RunEvent[]>;

/** What was held of each choice, written; a promise only where a text is long. */
function release(encoder: StreamEncoder, held: Held): string | Promise<string> {
  const texts: (string | Promise<string>)[] = [];
  for (const [choice, events] of held) texts.push(encoder.events(events, choice));
  if (texts.every((text) => typeof text === "string")) return texts.join("");
  return Promise.all(texts).then((all) => all.join(""));
}

type OneOrMore<Value> = readonly [Value, ...Value[]];

function createCollectors(choices = 1, keeping?: CollectorOptions): OneOrMore<Collector> {
  const all: [Collector, ...Collector[]] = [new Collector(keeping)];
  while (all.length < choices) all.push(new Collector(keeping));
  return all;
}

function hear(collector: Collector | undefined, events: readonly RunEvent[]): undefined {
  if (collector) for (const event of events) collector.add(event);
}

function mapCollectors<Value>(
  [first, ...further]: OneOrMore<Collector>,
  value: (of: Collector) => Value,
): OneOrMore<Value> {
  return [value(first), ...further.map(value)];
}

/** A promise only where something has to be waited for. */
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

/** A stream that broke its promise to end is an error, never a `stop`. */
function endedOrFailed<Said extends AnswerSummary>(said: Said): Said {
  if (said.failure || said.end) return said;
  return { ...said, failure: createFailure("internal_error", "The turn ended without saying how.") };
}

/** What was reached: text or a whole turn. What failed at its first step has nothing to show. */
function toPartialAnswer({ text, end, runId }: AnswerSummary & { readonly text: string }): PartialAnswer | undefined {
  return text !== "" || end ? { content: text, runId } : undefined;
}
