// Shows a run: its answer on standard output, all else on standard error, and never both in one line.
import type { RunEvent } from "../../core/events/events.ts";
import { joinAnswerText } from "../../core/events/refusals.ts";
import type { Clock, Redact } from "../../core/ports.ts";
import { replaceWithCommands } from "../output/commandHints.ts";
import { formatDuration } from "../output/format.ts";
import { StatusLine } from "../output/StatusLine.ts";
import { canMoveCursor, getColumns, type Output, writeNote } from "../output/terminal.ts";
import { formatToolLine } from "../output/toolLine.ts";
import { formatEvent, OUTCOME_TEXT } from "./eventText.ts";
import { RunCallLog } from "./RunCallLog.ts";
import { StdoutAnswer } from "./StdoutAnswer.ts";

export interface RunViewOptions {
  readonly output: Output;
  readonly notes: Output & { readonly columns?: number | undefined };
  /** False if standard output does not carry the text of the answer. */
  readonly answers: boolean;
  /** True if only failures are shown. */
  readonly quiet: boolean;
  readonly redact: Redact;
  readonly clock: Pick<Clock, "monotonic">;
}

export class RunView {
  readonly calls: RunCallLog;
  readonly #options: RunViewOptions;
  readonly #answer: StdoutAnswer;
  readonly #status: StatusLine | undefined;
  /** Name shown in the status line while no call runs. */
  #worker = "";
  /** The upstream's note that was already shown. */
  #lastText: string | undefined;

  constructor(options: RunViewOptions) {
    const { output, notes, quiet, clock } = options;
    this.#options = options;
    this.calls = new RunCallLog(clock);
    this.#answer = new StdoutAnswer(output);
    this.#status = canMoveCursor(notes) && !quiet ? new StatusLine(notes) : undefined;
  }

  /** @param worker the model, or another name for the status line. */
  begin(worker: string): void {
    this.#worker = worker;
    this.#showStatus();
  }

  showEvent(event: RunEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#writeText(joinAnswerText(event));
        return;
      case "run-end":
        this.#finish(OUTCOME_TEXT[event.outcome]);
        return;
      case "turn-failed":
        this.#finish(undefined);
        this.say(`failed: ${replaceWithCommands(event.failure.message)}`);
        return;
      default:
        this.#work(event);
        return;
    }
  }

  /** Shows an event other than the answer, unless quiet. */
  writeNote(line: string): void {
    if (!this.#options.quiet) this.say(line);
  }

  /** Shows a line even if quiet. */
  say(line: string): void {
    this.clearProgress();
    writeNote(this.#options.redact(`· ${line}`), this.#options.notes);
  }

  /** Releases the terminal until the next event. */
  clearProgress(): void {
    this.#status?.clear();
    if (this.#answer.isOpen && this.#sharesTerminal) this.#answer.end();
  }

  #writeText(text: string): void {
    if (!this.#options.answers) return;
    this.#status?.clear();
    this.#answer.add(text);
  }

  #finish(explanation: string | undefined): void {
    this.#status?.clear();
    this.#answer.end();
    if (explanation !== undefined) this.writeNote(explanation);
  }

  /** @param agent name of the nested agent, if any. */
  #work(event: RunEvent, agent?: string): void {
    switch (event.type) {
      case "turn-start":
        if (agent === undefined) this.#worker = event.model;
        if (event.note !== undefined && event.note !== this.#lastText) this.writeNote(event.note);
        this.#lastText = event.note ?? this.#lastText;
        break;
      case "interrupt":
        this.calls.addCall(event.interrupt.call);
        return;
      case "tool-start":
        this.calls.began(event.call, agent);
        this.#began(event.call);
        break;
      case "tool-result":
        this.#endCall(event.callId, event, agent);
        break;
      case "task-end":
        this.#endCall(event.task, event, agent);
        break;
      case "nested":
        this.#work(event.event, event.agent);
        return;
      case "format-issue":
        this.writeNote(`${event.issue.code}: ${event.issue.message}`);
        break;
      default: {
        const eventText = formatEvent(event);
        if (eventText === undefined) return;
        this.writeNote(eventText);
      }
    }
    this.#showStatus();
  }

  /** The status line already shows the call. */
  #began({ name, arguments: args, origin }: Extract<RunEvent, { type: "tool-start" }>["call"]): void {
    if (!this.#status) this.writeNote(`${name} ${args} (${origin})`);
  }

  #endCall(
    id: string,
    result: Pick<Extract<RunEvent, { type: "tool-result" }>, "name" | "isError" | "content">,
    agent?: string,
  ): void {
    const call = this.calls.endCall(id, result, agent);
    if (!this.#status) {
      this.writeNote(`${call.name} → ${result.content}${call.ms === undefined ? "" : ` (${formatDuration(call.ms)})`}`);
      return;
    }
    const { redact, notes } = this.#options;
    this.clearProgress();
    const callView = {
      ...call,
      arguments: call.arguments && redact(call.arguments),
      isError: result.isError,
      content: redact(result.content),
    };
    writeNote(formatToolLine(callView, getColumns(notes)), notes);
  }

  #showStatus(): void {
    if (!this.#status) return;
    this.clearProgress();
    const { running } = this.calls;
    this.#status.show(running.length > 0 ? running.join(", ") : `${this.#worker} works`);
  }

  get #sharesTerminal(): boolean {
    return this.#options.output.isTTY === true && this.#options.notes.isTTY === true;
  }
}
