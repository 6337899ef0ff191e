// `postel run` and `postel record`: one run of an agent or a workflow, here in the terminal. Its result goes to standard output, everything else to standard error.
import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import { agentFor } from "../../agents/agentFor.ts";
import { failureOf } from "../../agents/failureOf.ts";
import { compose, type House } from "../../compose.ts";
import { type Collected, Collector } from "../../core/collect.ts";
import type { RunEvent } from "../../core/events.ts";
import { type JsonObject, textOf } from "../../core/messages.ts";
import { endingOf, type RunOutcome } from "../../core/outcomes.ts";
import type { Observer } from "../../core/ports.ts";
import { loadWithUpstream, type UpstreamFlags } from "../configuration.ts";
import { modelsToTry, refusedToChat } from "../modelsToTry.ts";
import { Stopping } from "../Stopping.ts";
import { writeError, writeNote, writeText } from "../terminal.ts";
import { askedTask, askedWorkflow, givenTask, type TaskFlags } from "./askedTask.ts";
import { RunView } from "./RunView.ts";

export interface RunFlags extends UpstreamFlags, TaskFlags {
  readonly record?: string | undefined;
  /** True where one JSON object is all that goes to standard output. */
  readonly json?: boolean | undefined;
  /** True where nothing is told of what goes on. */
  readonly quiet?: boolean | undefined;
}

/**
 * Resolves with the exit status of the run's outcome (`OUTCOMES`): 0 only for one that answered, and was recorded where that was asked for.
 * @param task `-`: it is read from standard input; absent where an action or an input says what is to be done.
 */
export async function runTask(task: string | undefined, flags: RunFlags): Promise<number> {
  const stopping = new Stopping();
  try {
    const { outcome, unrecorded } = await runInHouse(await givenTask(task), flags, stopping.signal);
    const { exitCode } = endingOf(outcome);
    if (outcome === "cancelled") return stopping.status ?? exitCode;
    return unrecorded ? 1 : exitCode;
  } catch (error) {
    if (flags.json) {
      const { reportOfFailure } = await import("./reportOf.ts");
      writeText(`${JSON.stringify(reportOfFailure(failureOf(error)))}\n`);
    }
    if (stopping.status === undefined) throw error;
    writeError(failureOf(error).message);
    return stopping.status;
  } finally {
    stopping.end();
  }
}

interface Ended {
  readonly outcome: RunOutcome;
  readonly unrecorded: boolean;
}

async function runInHouse(task: string | undefined, flags: RunFlags, signal: AbortSignal): Promise<Ended> {
  let unrecorded = false;
  // What happens is shown as it happens; a log beside it would say it twice.
  const observer: Observer = {
    observe(observation) {
      if (observation.type !== "unrecorded") return;
      unrecorded = true;
      writeNote(`· not recorded: ${observation.lost}: ${observation.reason}`);
    },
  };
  const recording = flags.record === undefined ? {} : { recordTo: flags.record };
  const house = await compose(loadWithUpstream(flags), { observers: [observer], ...recording });
  let outcome: RunOutcome;
  try {
    outcome = await new TerminalRun(house, flags, signal).run(task);
  } finally {
    await house.close();
  }
  return { outcome, unrecorded };
}

/** One call of the command: the run, and those with other models that were tried before it. */
class TerminalRun {
  readonly #house: House;
  readonly #flags: RunFlags;
  readonly #signal: AbortSignal;
  readonly #view: RunView;

  constructor(house: House, flags: RunFlags, signal: AbortSignal) {
    this.#house = house;
    this.#flags = flags;
    this.#signal = signal;
    this.#view = new RunView({
      output: process.stdout,
      notes: process.stderr,
      answers: !flags.json && flags.workflow === undefined,
      quiet: flags.quiet === true,
      redact: house.redact,
      clock: house.clock,
    });
  }

  async run(task: string | undefined): Promise<RunOutcome> {
    const { workflow } = this.#flags;
    if (workflow === undefined) return await this.#agentRun(task);
    const request = askedWorkflow(this.#house, workflow, { ...this.#flags, task });
    const collected = await this.#asked(request);
    const { response } = collected;
    if (response !== undefined && !this.#flags.json)
      writeText(`${typeof response === "string" ? response : JSON.stringify(response)}\n`);
    return await this.#report(collected, { workflow: request.workflow ?? workflow });
  }

  async #agentRun(task: string | undefined): Promise<RunOutcome> {
    const { agent, model: named } = this.#flags;
    const { id } = agentFor(this.#house, named ?? "", agent);
    const asking = askedTask(this.#house, task, this.#flags);
    const models = named === undefined ? await modelsToTry(this.#house, agent, this.#signal) : [named];
    let collected: Collected | undefined;
    for (const model of models) {
      if (named === undefined) this.#view.note(`model: ${model}; --model chooses another`);
      collected = await this.#recorded(asking(model));
      if (!refusedToChat(collected)) break;
    }
    return await this.#report(collected ?? new Collector().value(), { agent: id });
  }

  async #recorded(request: AgentRunRequest): Promise<Collected> {
    const { chat, agent, action } = request;
    const messages = chat.messages.map(({ role, content }) => ({ role, content: textOf(content) }));
    const body = { model: chat.model, messages, stream: true, ...(agent && { agent }), ...(action && { action }) };
    this.#house.observer.observe({ type: "asked", run: chat.id, request: { path: "/v1/agent", body } });
    return await this.#asked(request);
  }

  async #asked(request: AgentRunRequest): Promise<Collected> {
    const collector = new Collector();
    const take = (events: readonly RunEvent[]): undefined => {
      for (const event of events) {
        collector.add(event);
        this.#view.hear(event);
      }
    };
    await this.#house.runs.ask(request, { signal: this.#signal, take, store: false });
    return collector.value();
  }

  async #report(collected: Collected, of: JsonObject): Promise<RunOutcome> {
    if (this.#flags.json) {
      const { reportOf } = await import("./reportOf.ts");
      const { all: calls } = this.#view.calls;
      const report = reportOf({ collected, of, calls, open: [] }, this.#house.redact);
      writeText(`${JSON.stringify(report)}\n`);
    }
    return collected.outcome ?? "failed";
  }
}
