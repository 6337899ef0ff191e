// `postel run` and `postel record`: one agent run in the terminal. The answer goes to standard output, everything else to standard error.
import type { AgentRunRequest } from "../agents/AgentRunRequest.ts";
import { composed } from "../agents/composeTask.ts";
import { compose, type House } from "../compose.ts";
import { type Collected, Collector } from "../core/collect.ts";
import type { RunEvent } from "../core/events.ts";
import { failure, PostelError } from "../core/failures.ts";
import { textOf } from "../core/messages.ts";
import { endingOf, type RunOutcome } from "../core/outcomes.ts";
import type { Observer, Redact } from "../core/ports.ts";
import { type ChatRequest, LOCAL_CALLER } from "../core/requests.ts";
import { workflowFor } from "../core/workflows.ts";
import { loadWithUpstream, type UpstreamFlags } from "./configuration.ts";
import { inputOf } from "./inputOf.ts";
import { showcaseFirst } from "./listedModels.ts";
import { writeNote, writeText } from "./terminal.ts";
import { describeUpstream } from "./upstreamStates.ts";

export interface RunFlags extends UpstreamFlags {
  readonly model?: string | undefined;
  readonly agent?: string | undefined;
  readonly action?: string | undefined;
  /** The id of what is run instead of an agent. */
  readonly workflow?: string | undefined;
  /** JSON text of an object. */
  readonly input?: string | undefined;
  readonly record?: string | undefined;
}

/**
 * Resolves with the exit status of the run's outcome (`OUTCOMES`): 0 only for one that answered, and was recorded where that was asked for.
 * @param task absent where an action or an input says what is to be done.
 */
export async function runTask(task: string | undefined, flags: RunFlags): Promise<number> {
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

async function runInTerminal(
  house: House,
  task: string | undefined,
  flags: RunFlags,
  signal: AbortSignal,
): Promise<number> {
  if (flags.workflow !== undefined) return await runWorkflow(house, flags.workflow, { ...flags, task }, signal);
  const asked = askedBy(task, flags);
  const models = flags.model === undefined ? await candidates(house, flags, signal) : [flags.model];
  let answer: Collected | undefined;
  for (const model of models) {
    if (flags.model === undefined) writeNote(`· model: ${model}; --model chooses another`);
    answer = await runWith(house, { ...asked, model }, signal);
    if (!refusedToChat(answer)) break;
  }
  writeText("\n");
  return endingOf(answer?.outcome ?? "failed").exitCode;
}

/** Its response is all that stands on standard output. */
async function runWorkflow(
  house: House,
  id: string,
  { input = "{}", task, model, agent, action }: RunFlags & { readonly task: string | undefined },
  signal: AbortSignal,
): Promise<number> {
  if ([task, model, agent, action].some((given) => given !== undefined))
    refuse("`--workflow` goes with `--input` alone: the workflow says which agent does what, and with which model.");
  const { id: workflow } = workflowFor(house.workflows, id);
  const collector = new Collector();
  const take = (events: readonly RunEvent[]): undefined => {
    for (const event of events) {
      collector.add(event);
      if (event.type !== "text-delta") show(event, house.redact);
    }
  };
  const chat = question("", workflow, house.ids.requestId());
  const request = { chat, workflow, input: inputOf(input), interactive: false };
  await house.runs.ask(request, { signal, take, store: false });
  const { outcome = "failed", response } = collector.outline();
  if (response !== undefined) writeText(`${typeof response === "string" ? response : JSON.stringify(response)}\n`);
  return endingOf(outcome).exitCode;
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

type Asked = Omit<AgentRunRequest, "chat" | "interactive">;

/** A task beside an action goes in the place of the action's; by itself it is the user's word. */
export function askedBy(
  task: string | undefined,
  { agent, action, input }: RunFlags,
): Asked & { readonly words: string } {
  const isTask = action !== undefined || input !== undefined;
  if (!isTask && task === undefined) refuse("There is nothing to do: give a task, or `--action` or `--input` with it.");
  return {
    ...(agent && { agent }),
    ...(isTask && { action, input: input === undefined ? {} : inputOf(input), task }),
    words: isTask ? "" : (task ?? ""),
  };
}

function refuse(message: string): never {
  throw new PostelError(failure("invalid_request", message));
}

async function runWith(
  house: House,
  { model, words, ...asked }: Asked & { readonly model: string; readonly words: string },
  signal: AbortSignal,
): Promise<Collected> {
  const chat = question(words, model, house.ids.requestId());
  const request = composed({ chat, ...asked, interactive: false }, house);
  const { agent, action } = request;
  const messages = request.chat.messages.map(({ role, content }) => ({ role, content: textOf(content) }));
  const body = { model, messages, stream: true, ...(agent && { agent }), ...(action && { action }) };
  house.observer.observe({ type: "asked", run: chat.id, request: { path: "/v1/agent", body } });
  const collector = new Collector();
  const take = (events: readonly RunEvent[]): undefined => {
    for (const event of events) {
      collector.add(event);
      show(event, house.redact);
    }
  };
  await house.runs.ask(request, { signal, take, store: false });
  return collector.value();
}

/** A run of nothing but one question, all else left to the agent. */
export function question(words: string, model: string, id: string): ChatRequest {
  return {
    id,
    caller: LOCAL_CALLER,
    model,
    messages: words === "" ? [] : [{ role: "user", content: words }],
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
      return HOW_IT_ENDED[event.outcome];
    case "turn-failed":
      return `failed: ${event.failure.message}`;
    default:
      return undefined;
  }
}

/** What a person is told of an end that the answer does not show. */
const HOW_IT_ENDED: Readonly<Partial<Record<RunOutcome, string>>> = {
  "no-answer": "no answer: the model ended its turn without a word",
  "max-turns": "stopped: all turns that it may take are taken (`max_turns`)",
  timeout: "stopped: its time is up (`timeout_ms`)",
  repeats: "stopped: the model only did again what it had done",
  budget: "stopped: the calls or tokens that it may use are used up (`limits.run`)",
};
