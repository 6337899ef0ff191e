// `postel run` and `postel record`: one agent run in the terminal. The answer goes to standard output, everything else to standard error.
import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import { compose, type House } from "../../compose.ts";
import { type Collected, Collector } from "../../core/collect.ts";
import type { RunEvent } from "../../core/events.ts";
import { textOf } from "../../core/messages.ts";
import { endingOf } from "../../core/outcomes.ts";
import type { Observer, Redact } from "../../core/ports.ts";
import { loadWithUpstream, type UpstreamFlags } from "../configuration.ts";
import { HOW_IT_ENDED } from "../howItEnded.ts";
import { modelsToTry, refusedToChat } from "../modelsToTry.ts";
import { Stopping } from "../Stopping.ts";
import { writeNote, writeText } from "../terminal.ts";
import { askedTask, askedWorkflow, givenTask, type TaskFlags } from "./askedTask.ts";

export interface RunFlags extends UpstreamFlags, TaskFlags {
  readonly record?: string | undefined;
}

/**
 * Resolves with the exit status of the run's outcome (`OUTCOMES`): 0 only for one that answered, and was recorded where that was asked for.
 * @param task `-`: it is read from standard input; absent where an action or an input says what is to be done.
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
  const config = loadWithUpstream(flags);
  const stopping = new Stopping();
  let status: number;
  try {
    const house = await compose(config, { observers: [observer], ...(flags.record && { recordTo: flags.record }) });
    try {
      status = await runInTerminal(house, await givenTask(task), flags, stopping.signal);
    } finally {
      await house.close();
    }
  } finally {
    stopping.end();
  }
  if (status === endingOf("cancelled").exitCode) return stopping.status ?? status;
  return unrecorded ? 1 : status;
}

async function runInTerminal(
  house: House,
  task: string | undefined,
  flags: RunFlags,
  signal: AbortSignal,
): Promise<number> {
  if (flags.workflow !== undefined) return await runWorkflow(house, flags.workflow, { ...flags, task }, signal);
  const asking = askedTask(house, task, flags);
  const models = flags.model === undefined ? await modelsToTry(house, flags.agent, signal) : [flags.model];
  let answer: Collected | undefined;
  for (const model of models) {
    if (flags.model === undefined) writeNote(`· model: ${model}; --model chooses another`);
    answer = await runWith(house, asking(model), signal);
    if (!refusedToChat(answer)) break;
  }
  writeText("\n");
  return endingOf(answer?.outcome ?? "failed").exitCode;
}

/** Its response is all that stands on standard output. */
async function runWorkflow(
  house: House,
  id: string,
  flags: RunFlags & { readonly task: string | undefined },
  signal: AbortSignal,
): Promise<number> {
  const collector = new Collector();
  const take = (events: readonly RunEvent[]): undefined => {
    for (const event of events) {
      collector.add(event);
      if (event.type !== "text-delta") show(event, house.redact);
    }
  };
  await house.runs.ask(askedWorkflow(house, id, flags), { signal, take, store: false });
  const { outcome = "failed", response } = collector.outline();
  if (response !== undefined) writeText(`${typeof response === "string" ? response : JSON.stringify(response)}\n`);
  return endingOf(outcome).exitCode;
}

async function runWith(house: House, request: AgentRunRequest, signal: AbortSignal): Promise<Collected> {
  const { chat, agent, action } = request;
  const messages = chat.messages.map(({ role, content }) => ({ role, content: textOf(content) }));
  const body = { model: chat.model, messages, stream: true, ...(agent && { agent }), ...(action && { action }) };
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
