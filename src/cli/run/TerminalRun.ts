// One run in a terminal or a pipe: starts it, shows it, asks for decisions, and reports its end.

import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import { resolveAgent } from "../../agents/planning/resolveAgent.ts";
import { type Collected, Collector } from "../../core/events/Collector.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { type JsonObject, joinText } from "../../core/messages.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { InterruptRecord } from "../../core/runs/interrupts.ts";
import type { RunOutcome } from "../../core/runs/outcomes.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import type { RunSubscriber } from "../../runs/RunService.ts";
import { ResumedRunCollector } from "../../sessions/foldRun.ts";
import { replaceWithCommands } from "../output/commandHints.ts";
import { formatShellCommand } from "../output/shellCommand.ts";
import { writeText } from "../output/terminal.ts";
import { createPrompter } from "../prompts/createPrompter.ts";
import { StdinLines } from "../prompts/StdinLines.ts";
import { createTaskRequest, createWorkflowRequest } from "./buildRunRequest.ts";
import { buildJsonReport } from "./jsonReport.ts";
import { isChatRefusal, listModelsToTry } from "./modelsToTry.ts";
import type { RunFlags } from "./RunFlags.ts";
import { RunView } from "./RunView.ts";
import { type DecisionBy, decideOpen, describeInterrupt } from "./resolveInterrupts.ts";

export interface TerminalRunOptions {
  readonly flags: RunFlags;
  /** File that stores the run; undefined: it ends with this process. */
  readonly keptIn: string | undefined;
  /** True if a user can be asked. */
  readonly isAttended: boolean;
  readonly signal: AbortSignal;
}

type Hearing = Pick<RunSubscriber, "signal" | "onEvents">;

export class TerminalRun {
  readonly #gateway: GatewayServices;
  readonly #options: TerminalRunOptions;
  readonly #view: RunView;
  readonly #lines = new StdinLines(process.stdin);
  /** Interrupts that are open at the end. */
  #open: readonly InterruptRecord[] = [];

  constructor(gateway: GatewayServices, options: TerminalRunOptions) {
    const { json, workflow, quiet } = options.flags;
    this.#gateway = gateway;
    this.#options = options;
    this.#view = new RunView({
      output: process.stdout,
      notes: process.stderr,
      answers: !json && workflow === undefined,
      quiet: quiet === true,
      redact: gateway.redact,
      clock: gateway.clock,
    });
  }

  /** If several models are tried, the outcome of the last run. @throws PostelError for an invalid request. */
  async run(task: string | undefined): Promise<RunOutcome> {
    const { resume, workflow } = this.#options.flags;
    if (resume !== undefined) return await this.#resumed(resume, task);
    return workflow === undefined ? await this.#agentRun(task) : await this.#workflowRun(workflow, task);
  }

  /** Ends the input. */
  close(): void {
    if (this.#options.isAttended) this.#lines.close();
  }

  async #workflowRun(id: string, task: string | undefined): Promise<RunOutcome> {
    const request = createWorkflowRequest(this.#gateway, id, { ...this.#options.flags, task });
    const collected = await this.#asked(request);
    return this.#report(collected, { workflow: request.workflow ?? id });
  }

  async #agentRun(task: string | undefined): Promise<RunOutcome> {
    const { flags, signal } = this.#options;
    const { id } = resolveAgent(this.#gateway, flags.model ?? "", flags.agent);
    const asking = createTaskRequest(this.#gateway, task, flags);
    const models =
      flags.model === undefined ? await listModelsToTry(this.#gateway, flags.agent, signal) : [flags.model];
    let collected = new Collector().getCollected();
    for (const model of models) {
      if (flags.model === undefined) this.#view.writeNote(`model: ${model}; --model chooses another`);
      const request = asking(model);
      this.#tellRecorder(request);
      collected = await this.#asked(request);
      if (!isChatRefusal(collected)) break;
    }
    return this.#report(collected, { agent: id });
  }

  async #resumed(id: string, task: string | undefined): Promise<RunOutcome> {
    const { agent, action, input, workflow, model } = this.#options.flags;
    if ([task, agent, action, input, workflow, model].some((given) => given !== undefined))
      throw new PostelError(
        createFailure(
          "invalid_request",
          "`--resume` goes on with a run as it was asked: leave out the task and what is asked.",
        ),
      );
    const key = { owner: LOCAL_CALLER.name, id };
    const record = await this.#gateway.runs.record(key);
    this.#view.begin(record.agent);
    const collected = await this.#runAndDecide(id, (turnCollector) => this.#gateway.runs.resume(key, turnCollector));
    // A workflow that still waits reports only that.
    return this.#report({ ...collected, runId: id }, { agent: record.agent });
  }

  #tellRecorder({ chat, agent, action }: AgentRunRequest): void {
    const messages = chat.messages.map(({ role, content }) => ({ role, content: joinText(content) }));
    const body = { model: chat.model, messages, stream: true, ...(agent && { agent }), ...(action && { action }) };
    this.#gateway.observer.observe({ type: "request-received", run: chat.id, request: { path: "/v1/agent", body } });
  }

  /** A run may wait if a user can decide now or later. */
  #asked(request: AgentRunRequest): Promise<Collected> {
    const { isAttended, keptIn, flags } = this.#options;
    const store = isAttended || keptIn !== undefined || flags.yes === true;
    this.#view.begin(request.chat.model);
    return this.#runAndDecide(request.chat.id, (turnCollector) =>
      this.#gateway.runs.ask(request, { ...turnCollector, store }),
    );
  }

  /** Collects all events of a run, including those after each decision here. */
  async #runAndDecide(id: string, begin: (turnCollector: Hearing) => Promise<void>): Promise<Collected> {
    const said = new ResumedRunCollector();
    let waits = false;
    let yes = this.#options.flags.yes === true;
    const take = (events: readonly RunEvent[]): undefined => {
      for (const event of events) {
        said.add(event);
        this.#view.showEvent(event);
        if (event.type === "run-end") waits = event.outcome === "awaiting-human";
      }
    };
    const turnCollector = { signal: this.#options.signal, onEvents: take };
    const key = { owner: LOCAL_CALLER.name, id };
    const { runs } = this.#gateway;
    await begin(turnCollector);
    while (waits) {
      this.#open = await runs.open(key);
      const given = await this.#decide(yes);
      if (!given) break;
      const areTaken = await this.#taken(given);
      // An advance approval that was refused is asked for.
      yes &&= areTaken;
      if (!areTaken) continue;
      waits = false;
      this.#open = [];
      await runs.resume(key, turnCollector);
    }
    return said.value();
  }

  /** False if a decision was refused, which a note says; open interrupts are asked again then. */
  async #taken(given: readonly DecisionBy[]): Promise<boolean> {
    const { runs } = this.#gateway;
    try {
      for (const { id, decision, decidedBy: by } of given) await runs.decide(LOCAL_CALLER.name, id, decision, by);
      return true;
    } catch (error) {
      if (!(error instanceof PostelError) || !this.#options.isAttended) throw error;
      this.#view.say(replaceWithCommands(error.message));
      return false;
    }
  }

  /** Resolves with undefined if the run continues to wait; a user who stops the command decides nothing. */
  async #decide(yes: boolean): Promise<readonly DecisionBy[] | undefined> {
    const { isAttended, signal } = this.#options;
    this.#view.clearProgress();
    const streams = { input: process.stdin, output: process.stderr, lines: this.#lines };
    const person = isAttended ? await createPrompter(streams) : undefined;
    const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
    const stop = () => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
    const deciding = { yes, person, say: (line: string) => this.#view.say(line) };
    try {
      return signal.aborted ? undefined : await Promise.race([decideOpen(this.#open, deciding), stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Standard output carries only the result. */
  #report(collected: Collected, of: JsonObject): RunOutcome {
    const { outcome = "failed", response, runId } = collected;
    if (outcome === "awaiting-human") this.#tellWaiting(runId ?? "");
    if (this.#options.flags.json) {
      const { all: calls } = this.#view.calls;
      writeText(
        `${JSON.stringify(buildJsonReport({ collected, runFields: of, calls, open: this.#open }, this.#gateway.redact))}\n`,
      );
    } else if (response !== undefined) {
      writeText(`${typeof response === "string" ? response : JSON.stringify(response)}\n`);
    }
    return outcome;
  }

  #tellWaiting(run: string): void {
    const { keptIn, flags } = this.#options;
    for (const interrupt of this.#open) this.#view.say(`waits for a person: ${describeInterrupt(interrupt)}`);
    const { config, upstream, upstreamKeyEnv } = flags;
    const same = { resume: run, config, upstream, "upstream-key-env": upstreamKeyEnv, store: keptIn };
    this.#view.say(
      keptIn === undefined
        ? "nothing keeps this run; where --store names a file, what waits can be decided later"
        : `decide about it with: ${formatShellCommand(["postel", "run"], same)}`,
    );
  }
}
