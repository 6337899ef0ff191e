// Replays a transcript through the gateway: the pipeline of a live request, with the recording in place of the network.

import { type Config, RECORDED_BASE_URL } from "../../core/config/configuration.ts";
import { Collector } from "../../core/events/Collector.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { isObject, type ToolCall, type ToolMode } from "../../core/messages.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import { APPROVE_TOOL_CALL } from "../../core/runs/interrupts.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { openServices } from "../../gateway/openServices.ts";
import { parseModelProfile } from "../../gateway/readConfig.ts";
import { wireOfUrl } from "../../models/wires/registry.ts";
import { readChatRequest } from "../../server/apis/chatCompletions/readChatRequest.ts";
import { RUN_FIELDS, readRunFields } from "../../server/validation/runFields.ts";
import { type Expectation, type Transcript, UNNAMED } from "../../transcripts/format/Transcript.ts";
import { ReplayClock } from "../../transcripts/replay/ReplayClock.ts";
import { ReplayEgress } from "../../transcripts/replay/ReplayEgress.ts";
import { ReplayProcesses } from "../../transcripts/replay/ReplayProcesses.ts";
import { TranscriptServers } from "../../transcripts/replay/ReplayServers.ts";
import type { Chunking } from "../../transcripts/replay/rechunk.ts";

export interface Replayed {
  readonly actual: Expectation;
  /** Exchanges and programs that were recorded but not used, or used but not recorded. */
  readonly faults: readonly string[];
}

/** An operator's model profile in the recording replaces that of the configuration. */
export async function replayTranscript(config: Config, transcript: Transcript, chunking: Chunking): Promise<Replayed> {
  const clock = new ReplayClock(transcript.header.recorded_at);
  const egress = new ReplayEgress(transcript, { chunking, clock });
  const processes = new ReplayProcesses(transcript, clock);
  const servers = new TranscriptServers(transcript, clock);
  const { row } = transcript.header;
  const operatorModels = row === undefined ? config.operatorModels : [parseModelProfile(row)];
  const gateway = await openServices(
    {
      ...config,
      operatorModels,
      aliases: [],
      upstreams: createReplayUpstreams(transcript),
      credentials: config.credentials.masked(),
    },
    { replay: { egress, processes, servers, clock, random: () => 0.5 }, observers: [] },
  );
  try {
    const { actual, faults } = await drain(await createRequestRunner(gateway, transcript, config));
    const leftovers = [egress, processes, servers].flatMap((one) => one.leftovers());
    const dryRun = leftovers.map((line) => `never asked for: ${line}`);
    return { actual, faults: [...faults, ...processes.mismatches(), ...servers.mismatches(), ...dryRun] };
  } finally {
    await gateway.close();
  }
}

async function drain(runRequest: (take: EventSink<RunEvent>) => Promise<void>): Promise<Replayed> {
  const collector = new Collector();
  const results: NonNullable<Expectation["tool_results"]> = [];
  await runRequest((events) => {
    for (const event of events) {
      collector.add(event);
      if (event.type === "tool-result") results.push(toExpectedResult(event));
    }
    return undefined;
  });
  const { text, reasoning, calls, formats, end, failure, outcome, extraction, sources } = collector.getCollected();
  const found: Expectation = {
    content: text === "" ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toExpectedCall) }),
    tool_results: results,
    ...(failure ? { error: failure.code } : { finish_reason: end?.finishReason ?? null, attempts: end?.attempts ?? 0 }),
    formats: [...formats],
    ...(outcome !== undefined && { outcome }),
    ...(extraction && "output" in extraction && { output: extraction.output }),
    ...(sources && { sources: [...sources] }),
  };
  const mismatch = failure?.code === "replay_mismatch" ? [failure.message] : [];
  return { actual: found, faults: mismatch };
}

/** The hash of a plan depends on the run's id, which differs each time. */
const PLAN = /"plan":"[0-9a-f]{64}"/;

function toExpectedCall({ name, arguments: args }: ToolCall): NonNullable<Expectation["tool_calls"]>[number] {
  return { name, arguments: name === APPROVE_TOOL_CALL ? args.replace(PLAN, '"plan":"…"') : args };
}

function toExpectedResult(
  event: Extract<RunEvent, { type: "tool-result" }>,
): NonNullable<Expectation["tool_results"]>[number] {
  return { name: event.name, content: event.content, ...(event.isError && { is_error: true }) };
}

const NOTHING_ASKED = { wire: "openai", baseUrl: RECORDED_BASE_URL } as const;

/** Further models, of other agents or for embeddings, are served by their own names. */
function createReplayUpstreams(transcript: Transcript): Config["upstreams"] {
  const recording = createReplayUpstream(transcript);
  const recordedRequest = new Map(
    transcript.exchanges.flatMap(({ url, body }) =>
      isObject(body) && typeof body.model === "string" ? [[body.model, url] as const] : [],
    ),
  );
  // The first is that of the run.
  const [, ...others] = recordedRequest;
  const further = others.map(([name, url], index) => ({
    ...{ type: "server" as const, wire: recording.wire, baseUrl: recording.baseUrl, ...wireOfUrl(url) },
    ...{ parse: "on" as const, id: `recording-${index + 2}`, headers: {}, models: [name] },
  }));
  return [...further, recording];
}

/** The recorded server, which serves every name with the recorded model, whatever the configuration says now. */
function createReplayUpstream({
  header,
  exchanges: [first],
}: Transcript): Extract<Config["upstreams"][number], { type: "server" }> {
  const named = isObject(first?.body) ? first.body.model : undefined;
  return {
    type: "server",
    ...(wireOfUrl(first?.url ?? "") ?? NOTHING_ASKED),
    // The server may know the model by another name.
    ...(typeof named === "string" && named !== header.model && { deployment: named }),
    parse: "on",
    id: "recording",
    headers: {},
    models: ["*"],
    ...(header.model !== UNNAMED && { model: header.model }),
  };
}

/** The recorded request, read as the HTTP routes read it. */
async function createRequestRunner(
  gateway: GatewayServices,
  transcript: Transcript,
  config: Config,
): Promise<(take: EventSink<RunEvent>) => Promise<void>> {
  const { header, exchanges } = transcript;
  const signal = new AbortController().signal;
  const recordedRequest: AskedThen = header.request ?? {
    path: "/v1/agent",
    body: { model: header.model, messages: [{ role: "user", content: header.asked }] },
  };
  const isRun = recordedRequest.path === "/v1/agent";
  const { chat } = await readChatRequest(recordedRequest.body, {
    id: exchanges[0]?.run ?? "replay",
    caller: LOCAL_CALLER,
    wishes: { onInvalid: recordedRequest.on_invalid, parse: recordedRequest.parse },
    limits: config.limits,
    gatewayTools: isRun,
    routeFields: isRun ? RUN_FIELDS : [],
  });
  // With `tool_choice: none` a missing field proves nothing: a model that leaks calls is shown no tools then.
  const toolsOffered =
    chat.toolChoice.type !== "none" &&
    (chat.tools.length > 0 || (isRun && gateway.agents.some(({ tools }) => tools.length > 0)));
  const toolMode = recordedRequest.tool_mode ?? learntMode(transcript, toolsOffered);
  const request = toolMode ? { ...chat, pinnedToolMode: toolMode } : chat;
  // A run over HTTP is stored and may wait for an approver; a run in a terminal does neither.
  const interactive = header.request !== undefined && recordedRequest.body.no_store !== true;
  return (onEvents) =>
    isRun
      ? gateway.runner.run(
          { chat: request, ...readRunFields(recordedRequest.body, gateway.limits), interactive },
          signal,
          onEvents,
        )
      : gateway.runner.complete(request, signal, onEvents);
}

type AskedThen = NonNullable<Transcript["header"]["request"]>;

/**
 * The recording gateway may have observed earlier that the model refuses tools, and used text mode at once; a replay starts
 * without observations.
 */
function learntMode({ exchanges }: Transcript, toolsOffered: boolean): ToolMode | undefined {
  const body = exchanges[0]?.body;
  return toolsOffered && isObject(body) && Array.isArray(body.messages) && body.tools === undefined
    ? "text"
    : undefined;
}
