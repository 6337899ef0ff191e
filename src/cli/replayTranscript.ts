// One transcript as the network of one run: the way of a live request, with a recording at its end. Judges nothing.
import { compose, type House } from "../compose.ts";
import { Collector } from "../core/collect.ts";
import type { Config } from "../core/configuration.ts";
import type { RunEvent } from "../core/events.ts";
import type { JsonObject, JsonValue, Message } from "../core/messages.ts";
import type { ChatRequest } from "../core/requests.ts";
import { readChatRequest } from "../server/openaiRequest.ts";
import { TurnReport } from "../server/TurnReport.ts";
import { ReplayClock } from "../transcripts/ReplayClock.ts";
import { ReplayEgress } from "../transcripts/ReplayEgress.ts";
import type { Chunking } from "../transcripts/rechunk.ts";
import type { Expectation, Transcript } from "../transcripts/Transcript.ts";
import { question } from "./runTask.ts";

export interface Replayed {
  readonly found: Expectation;
  /** Exchanges that were recorded but not asked for, or asked for but not recorded. */
  readonly faults: readonly string[];
}

export async function replayTranscript(config: Config, transcript: Transcript, chunking: Chunking): Promise<Replayed> {
  const egress = new ReplayEgress(transcript, chunking);
  const clock = new ReplayClock(transcript.header.recorded_at);
  const house = await compose(
    { ...config, upstreams: [upstreamOf(transcript)] },
    { replay: { egress, clock, random: () => 0.5 }, observer: { observe: () => {} } },
  );
  try {
    return await drain(eventsOf(house, transcript, config), egress);
  } finally {
    await house.close();
  }
}

async function drain(events: AsyncIterable<RunEvent>, egress: ReplayEgress): Promise<Replayed> {
  const collector = new Collector();
  const report = new TurnReport();
  const results: NonNullable<Expectation["tool_results"]> = [];
  for await (const event of events) {
    collector.add(event);
    report.add(event);
    if (event.type === "tool-result") results.push(resultOf(event));
  }
  const { text, reasoning, calls, end, failure } = collector.value();
  const found: Expectation = {
    content: text === "" ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => ({ name: call.name, arguments: call.arguments })) }),
    tool_results: results,
    ...(failure ? { error: failure.code } : { finish_reason: end?.finishReason ?? null, attempts: end?.attempts ?? 0 }),
    formats: [...report.formats],
  };
  const mismatch = failure?.code === "replay_mismatch" ? [failure.message] : [];
  return { found, faults: [...mismatch, ...egress.leftovers().map((line) => `never asked for: ${line}`)] };
}

function resultOf(event: Extract<RunEvent, { type: "tool-result" }>): NonNullable<Expectation["tool_results"]>[number] {
  return { name: event.name, content: event.content, ...(event.isError && { is_error: true }) };
}

/** The recorded server, serving every name. */
function upstreamOf(transcript: Transcript): Config["upstreams"][number] {
  const url = transcript.exchanges[0]?.url ?? "http://recorded.invalid/v1/chat/completions";
  return {
    type: "openai",
    id: "recording",
    baseUrl: url.replace(/\/chat\/completions.*$/, ""),
    headers: {},
    models: ["*"],
  };
}

/**
 * A recording without a body is an agent run on its question. One with a body was asked what the body says: by an agent run
 * if tools of this gateway were offered, else by a chat completion. (What a text-mode prompt was rendered from is not in it,
 * so such a recording differs from its replay and is reported.)
 */
function eventsOf(house: House, { header, exchanges }: Transcript, config: Config): AsyncIterable<RunEvent> {
  const signal = new AbortController().signal;
  const id = exchanges[0]?.run ?? "replay";
  const body = exchanges[0]?.body;
  if (!isObject(body) || !Array.isArray(body.messages)) {
    return house.runner.run({ chat: question(header.asked, header.model, id) }, signal);
  }
  const { stream: _stream, stream_options: _options, ...asked } = body;
  const context = { id, limits: config.limits, gatewayTools: true, routeFields: [] };
  const { chat } = readChatRequest(asked, context);
  const own = chat.tools.filter((tool) => house.registry.get(tool.name) === undefined);
  if (own.length === chat.tools.length) return house.runner.complete(chat, signal);
  return house.runner.run({ chat: { ...chat, tools: own, messages: withoutPrompt(chat, house) } }, signal);
}

/** The agent will put its own prompt before the messages again. */
function withoutPrompt({ messages }: ChatRequest, { agents }: House): readonly Message[] {
  const prompts = new Set(agents.flatMap((agent) => agent.systemPrompt?.trim() ?? []));
  const [first, ...rest] = messages;
  return typeof first?.content === "string" && prompts.has(first.content.trim()) ? rest : messages;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
