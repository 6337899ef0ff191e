// One transcript as the network of one run: the way of a live request, with a recording at its end. Judges nothing.
import { compose, type House, readRow } from "../compose.ts";
import { Collector } from "../core/collect.ts";
import { type Config, RECORDED_BASE_URL } from "../core/configuration.ts";
import type { RunEvent } from "../core/events.ts";
import { isObject, type ToolMode } from "../core/messages.ts";
import { LOCAL_CALLER } from "../core/requests.ts";
import type { Take } from "../core/take.ts";
import { wireOfUrl } from "../models/wires/wires.ts";
import { RUN_FIELDS, readRunFields } from "../server/runFields.ts";
import { readChatRequest } from "../server/wires/chatCompletions/readChatRequest.ts";
import { ReplayClock } from "../transcripts/ReplayClock.ts";
import { ReplayEgress } from "../transcripts/ReplayEgress.ts";
import { ReplayProcesses } from "../transcripts/ReplayProcesses.ts";
import type { Chunking } from "../transcripts/rechunk.ts";
import { type Expectation, type Transcript, UNNAMED } from "../transcripts/Transcript.ts";

export interface Replayed {
  readonly found: Expectation;
  /** Exchanges and programs that were recorded but not asked for, or asked for but not recorded. */
  readonly faults: readonly string[];
}

/** Where the recording has an operator's row, that one goes instead of the configuration's. */
export async function replayTranscript(config: Config, transcript: Transcript, chunking: Chunking): Promise<Replayed> {
  const clock = new ReplayClock(transcript.header.recorded_at);
  const egress = new ReplayEgress(transcript, { chunking, clock });
  const processes = new ReplayProcesses(transcript, clock);
  const { row } = transcript.header;
  const operatorModels = row === undefined ? config.operatorModels : [readRow(row)];
  const house = await compose(
    {
      ...config,
      operatorModels,
      aliases: [],
      upstreams: [upstreamOf(transcript)],
      credentials: config.credentials.masked(),
    },
    { replay: { egress, processes, clock, random: () => 0.5 }, observers: [] },
  );
  try {
    const { found, faults } = await drain(await askedOf(house, transcript, config));
    const left = [...egress.leftovers(), ...processes.leftovers()].map((line) => `never asked for: ${line}`);
    return { found, faults: [...faults, ...processes.mismatches(), ...left] };
  } finally {
    await house.close();
  }
}

async function drain(ask: (take: Take<RunEvent>) => Promise<void>): Promise<Replayed> {
  const collector = new Collector();
  const results: NonNullable<Expectation["tool_results"]> = [];
  await ask((events) => {
    for (const event of events) {
      collector.add(event);
      if (event.type === "tool-result") results.push(resultOf(event));
    }
    return undefined;
  });
  const { text, reasoning, calls, formats, end, failure, outcome, extraction } = collector.value();
  const found: Expectation = {
    content: text === "" ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => ({ name: call.name, arguments: call.arguments })) }),
    tool_results: results,
    ...(failure ? { error: failure.code } : { finish_reason: end?.finishReason ?? null, attempts: end?.attempts ?? 0 }),
    formats: [...formats],
    ...(outcome !== undefined && { outcome }),
    ...(extraction && "output" in extraction && { output: extraction.output }),
  };
  const mismatch = failure?.code === "replay_mismatch" ? [failure.message] : [];
  return { found, faults: mismatch };
}

function resultOf(event: Extract<RunEvent, { type: "tool-result" }>): NonNullable<Expectation["tool_results"]>[number] {
  return { name: event.name, content: event.content, ...(event.isError && { is_error: true }) };
}

const NOTHING_ASKED = { wire: "openai", baseUrl: RECORDED_BASE_URL } as const;

/** The recorded server, serving every name by the model that was asked then, whatever the configuration says of names now. */
function upstreamOf({ header, exchanges: [first] }: Transcript): Config["upstreams"][number] {
  const named = isObject(first?.body) ? first.body.model : undefined;
  return {
    type: "server",
    ...(wireOfUrl(first?.url ?? "") ?? NOTHING_ASKED),
    // The server may have been asked for the model by a name of its own.
    ...(typeof named === "string" && named !== header.model && { deployment: named }),
    parse: "on",
    id: "recording",
    headers: {},
    models: ["*"],
    ...(header.model !== UNNAMED && { model: header.model }),
  };
}

/** What the caller asked then, read as the HTTP routes read it. */
async function askedOf(
  house: House,
  transcript: Transcript,
  config: Config,
): Promise<(take: Take<RunEvent>) => Promise<void>> {
  const { header, exchanges } = transcript;
  const signal = new AbortController().signal;
  const asked: AskedThen = header.request ?? {
    path: "/v1/agent",
    body: { model: header.model, messages: [{ role: "user", content: header.asked }] },
  };
  const isRun = asked.path === "/v1/agent";
  const { chat } = await readChatRequest(asked.body, {
    id: exchanges[0]?.run ?? "replay",
    caller: LOCAL_CALLER,
    wishes: { onInvalid: asked.on_invalid, parse: asked.parse },
    limits: config.limits,
    gatewayTools: isRun,
    routeFields: isRun ? RUN_FIELDS : [],
  });
  // With `tool_choice: none` a missing field says nothing: a model that leaks is shown no tools then.
  const toolsOffered =
    chat.toolChoice.type !== "none" &&
    (chat.tools.length > 0 || (isRun && house.agents.some(({ tools }) => tools.length > 0)));
  const toolMode = asked.tool_mode ?? learntMode(transcript, toolsOffered);
  const request = toolMode ? { ...chat, pinnedToolMode: toolMode } : chat;
  return (take) =>
    isRun
      ? house.runner.run(
          { chat: request, ...readRunFields(asked.body, house.limits), interactive: false },
          signal,
          take,
        )
      : house.runner.complete(request, signal, take);
}

type AskedThen = NonNullable<Transcript["header"]["request"]>;

/** A gateway that had learnt before that the model takes no tools asked it in text at once; a replay begins with no such knowledge. */
function learntMode({ exchanges }: Transcript, toolsOffered: boolean): ToolMode | undefined {
  const body = exchanges[0]?.body;
  return toolsOffered && isObject(body) && Array.isArray(body.messages) && body.tools === undefined
    ? "text"
    : undefined;
}
