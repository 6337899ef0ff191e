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
  #said: string | undefined;

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

  hear(event: RunEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#words(joinAnswerText(event));
        return;
      case "run-end":
        this.#over(OUTCOME_TEXT[event.outcome]);
        return;
      case "turn-failed":
        this.#over(undefined);
        this.say(`failed: ${replaceWithCommands(event.failure.message)}`);
        return;
      default:
        this.#work(event);
        return;
    }
  }

  /** Shows an event other than the answer, unless quiet. */
  note(line: string): void {
    if (!this.#options.quiet) this.say(line);
  }

  /** Shows a line even if quiet. */
  say(line: string): void {
    this.pause();
    writeNote(this.#options.redact(`· ${line}`), this.#options.notes);
  }

  /** Releases the terminal until the next event. */
  pause(): void {
    this.#status?.clear();
    if (this.#answer.isOpen && this.#sharesTerminal) this.#answer.end();
  }

  #words(text: string): void {
    if (!this.#options.answers) return;
    this.#status?.clear();
    this.#answer.add(text);
  }

  #over(how: string | undefined): void {
    this.#status?.clear();
    this.#answer.end();
    if (how !== undefined) this.note(how);
  }

  /** @param agent name of the nested agent, if any. */
  #work(event: RunEvent, agent?: string): void {
    switch (event.type) {
      case "turn-start":
        if (agent === undefined) this.#worker = event.model;
        if (event.note !== undefined && event.note !== this.#said) this.note(event.note);
        this.#said = event.note ?? this.#said;
        break;
      case "interrupt":
        this.calls.asked(event.interrupt.call);
        return;
      case "tool-start":
        this.calls.began(event.call, agent);
        this.#began(event.call);
        break;
      case "tool-result":
        this.#ended(event.callId, event, agent);
        break;
      case "task-end":
        this.#ended(event.task, event, agent);
        break;
      case "nested":
        this.#work(event.event, event.agent);
        return;
      case "format-issue":
        this.note(`${event.issue.code}: ${event.issue.message}`);
        break;
      default: {
        const told = formatEvent(event);
        if (told === undefined) return;
        this.note(told);
      }
    }
    this.#showStatus();
  }

  /** The status line already shows the call. */
  #began({ name, arguments: args, origin }: Extract<RunEvent, { type: "tool-start" }>["call"]): void {
    if (!this.#status) this.note(`${name} ${args} (${origin})`);
  }

  #ended(
    id: string,
    result: Pick<Extract<RunEvent, { type: "tool-result" }>, "name" | "isError" | "content">,
    agent?: string,
  ): void {
    const call = this.calls.ended(id, result, agent);
    if (!this.#status) {
      this.note(`${call.name} → ${result.content}${call.ms === undefined ? "" : ` (${formatDuration(call.ms)})`}`);
      return;
    }
    const { redact, notes } = this.#options;
    this.pause();
    const shown = {
      ...call,
      arguments: call.arguments && redact(call.arguments),
      isError: result.isError,
      content: redact(result.content),
    };
    writeNote(formatToolLine(shown, getColumns(notes)), notes);
  }

  #showStatus(): void {
    if (!this.#status) return;
    this.pause();
    const { going } = this.calls;
    this.#status.show(going.length > 0 ? going.join(", ") : `${this.#worker} works`);
  }

  get #sharesTerminal(): boolean {
    return this.#options.output.isTTY === true && this.#options.notes.isTTY === true;
  }
}
