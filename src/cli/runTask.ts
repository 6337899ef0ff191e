// `postel run` and `postel record`: one agent run in the terminal. The answer goes to standard output, everything else to standard error.
import { compose, type House } from "../compose.ts";
import { type Collected, Collector } from "../core/collect.ts";
import type { RunEvent } from "../core/events.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { Observer, Redact } from "../core/ports.ts";
import { type ChatRequest, LOCAL_CALLER } from "../core/requests.ts";
import { loadWithUpstream, type UpstreamFlags } from "./configuration.ts";
import { showcaseFirst } from "./listedModels.ts";
import { writeNote, writeText } from "./terminal.ts";
import { describeUpstream } from "./upstreamStates.ts";

export interface RunFlags extends UpstreamFlags {
  readonly model?: string | undefined;
  readonly agent?: string | undefined;
  readonly record?: string | undefined;
}

/** Resolves with the exit status: 0 only for a run that answered, and was recorded where that was asked for. */
export async function runTask(task: string, flags: RunFlags): Promise<number> {
  let unrecorded = false;
  // What happens is shown as it happens; a log beside it would say it twice.
  const observer: Observer = {
    observe(observation) {
      if (observation.type !== "unrecorded") return;
      unrecorded = true;
      writeNote(`· not recorded: ${observation.lost}: ${observation.reason}`);
    },
  };
  const house = await compose(loadWithUpstream(flags), {
    observers: [observer],
    ...(flags.record && { recordTo: flags.record }),
  });
  const stopping = new AbortController();
  const stop = () => stopping.abort(new PostelError(failure("cancelled", "The run was stopped from the keyboard.")));
  process.once("SIGINT", stop);
  let status: number;
  try {
    status = await runInTerminal(house, task, flags, stopping.signal);
  } finally {
    process.off("SIGINT", stop);
    await house.close();
  }
  return unrecorded ? 1 : status;
}

async function runInTerminal(house: House, task: string, flags: RunFlags, signal: AbortSignal): Promise<number> {
  const models = flags.model === undefined ? await candidates(house, flags, signal) : [flags.model];
  let answer: Collected | undefined;
  for (const model of models) {
    if (flags.model === undefined) writeNote(`· model: ${model}; --model chooses another`);
    answer = await runWith(house, { task, model, agent: flags.agent }, signal);
    if (!refusedToChat(answer)) break;
  }
  writeText("\n");
  return answer?.outcome === "answered" ? 0 : 1;
}

/** The agent's own model, then the listed ones. @throws PostelError where there is none, with what the upstreams say. */
async function candidates(house: House, flags: RunFlags, signal: AbortSignal): Promise<readonly string[]> {
  const wanted = house.agents.find(({ id }) => id === (flags.agent ?? "default")) ?? house.agents[0];
  const states = await house.directory.survey(signal);
  const names = showcaseFirst(states.flatMap(({ models }) => models));
  const models = new Set([...(wanted?.model === undefined ? [] : [wanted.model]), ...names]);
  if (models.size > 0) return [...models].slice(0, MOST_TRIED);
  const why = states.map(describeUpstream).join("\n");
  throw new PostelError(failure("model_not_found", `No upstream lists a model; name one with --model.\n${why}`));
}

/** Models that are tried in turn where none was named. */
const MOST_TRIED = 5;

/** Upstreams also list what answers no chat: a model of embeddings refuses it, and a retired name is not found. */
function refusedToChat({ failure: cause, text }: Collected): boolean {
  return text === "" && cause !== undefined && REFUSALS.has(cause.code);
}

const REFUSALS = new Set(["model_not_found", "upstream_not_found", "upstream_refused"]);

interface Asked {
  readonly task: string;
  readonly model: string;
  readonly agent: string | undefined;
}

async function runWith(house: House, { task, model, agent }: Asked, signal: AbortSignal): Promise<Collected> {
  const chat = question(task, model, house.ids.requestId());
  const body = { model, messages: [{ role: "user", content: task }], stream: true, ...(agent && { agent }) };
  house.observer.observe({ type: "asked", run: chat.id, request: { path: "/v1/agent", body } });
  const collector = new Collector();
  const take = (events: readonly RunEvent[]): undefined => {
    for (const event of events) {
      collector.add(event);
      show(event, house.redact);
    }
  };
  await house.runs.ask({ chat, ...(agent && { agent }), interactive: false }, { signal, take, store: false });
  return collector.value();
}

/** A run of nothing but one question, all else left to the agent. */
function question(task: string, model: string, id: string): ChatRequest {
  return {
    id,
    caller: LOCAL_CALLER,
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

function show(event: RunEvent, redact: Redact): void {
  if (event.type === "text-delta") {
    writeText(event.text);
    return;
  }
  const line = lineOf(event);
  if (line !== undefined) writeNote(redact(`· ${line}`));
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
    case "run-end":
      return event.outcome === "no-answer" ? "no answer: the model ended its turn without a word" : undefined;
    case "turn-failed":
      return `failed: ${event.failure.message}`;
    default:
      return undefined;
  }
}
