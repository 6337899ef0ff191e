// `postel run` and `postel record`: one agent run in the terminal. The answer goes to standard output, everything else to standard error.
import { compose, type House } from "../compose.ts";
import { Collector } from "../core/collect.ts";
import type { RunEvent } from "../core/events.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { ChatRequest } from "../core/requests.ts";
import { loadWithUpstream, type UpstreamFlags } from "./configuration.ts";

export interface RunFlags extends UpstreamFlags {
  readonly model?: string | undefined;
  readonly agent?: string | undefined;
  readonly record?: string | undefined;
}

/** Resolves with the exit status: 0 only for a run that answered. */
export async function runTask(task: string, flags: RunFlags): Promise<number> {
  // What happens is shown as it happens; a log beside it would say it twice.
  const observer = { observe: () => {} };
  const house = await compose(loadWithUpstream(flags), { observer, ...(flags.record && { recordTo: flags.record }) });
  const stopping = new AbortController();
  const stop = () => stopping.abort(new PostelError(failure("cancelled", "The run was stopped from the keyboard.")));
  process.once("SIGINT", stop);
  try {
    return await runInTerminal(house, task, flags, stopping.signal);
  } finally {
    process.off("SIGINT", stop);
    await house.close();
  }
}

async function runInTerminal(house: House, task: string, flags: RunFlags, signal: AbortSignal): Promise<number> {
  const chat = question(task, flags.model ?? (await defaultModel(house, flags, signal)), house.ids.requestId());
  const { model } = chat;
  const body = {
    model,
    messages: [{ role: "user", content: task }],
    stream: true,
    ...(flags.agent && { agent: flags.agent }),
  };
  house.observer.observe({ type: "asked", run: chat.id, request: { path: "/v1/agent", body } });
  const collector = new Collector();
  for await (const event of house.runner.run({ chat, ...(flags.agent && { agent: flags.agent }) }, signal)) {
    collector.add(event);
    show(event);
  }
  process.stdout.write("\n");
  return collector.value().outcome === "answered" ? 0 : 1;
}

/** A run of nothing but one question, all else left to the agent. */
function question(task: string, model: string, id: string): ChatRequest {
  return {
    id,
    model,
    messages: [{ role: "user", content: task }],
    tools: [],
    toolChoice: { type: "auto" },
    sampling: {},
    output: { type: "text" },
    stream: true,
    passthrough: {},
  };
}

async function defaultModel(house: House, flags: RunFlags, signal: AbortSignal): Promise<string> {
  const wanted = house.agents.find(({ id }) => id === (flags.agent ?? "default")) ?? house.agents[0];
  const model = wanted?.model ?? (await house.directory.list(signal))[0]?.id;
  if (model !== undefined) return model;
  throw new PostelError(failure("model_not_found", "No upstream lists a model; name one with --model."));
}

function show(event: RunEvent): void {
  if (event.type === "text-delta") {
    process.stdout.write(event.text);
    return;
  }
  const line = lineOf(event);
  if (line !== undefined) process.stderr.write(`· ${line}\n`);
}

function lineOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "turn-start":
      return event.note;
    case "tool-start":
      return `${event.call.name} ${event.call.arguments} (${event.call.origin})`;
    case "tool-result":
      return `${event.name} → ${event.content}`;
    case "format-issue":
      return `${event.issue.code}: ${event.issue.message}`;
    case "attempt":
      return `attempt ${event.n}: ${event.reason}`;
    case "turn-failed":
      return `failed: ${event.failure.message}`;
    default:
      return undefined;
  }
}
