// Shows the events of a turn: text as it arrives, and one line for each other event.
import { styleText } from "node:util";
import type { ToolCitation } from "../../core/events/citations.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { joinAnswerText } from "../../core/events/refusals.ts";
import type { Clock, Redact } from "../../core/ports.ts";
import { replaceWithCommands } from "../output/commandHints.ts";
import { StatusLine } from "../output/StatusLine.ts";
import {
  getColumns,
  type Output,
  sanitizeForTerminal,
  sanitizeLine,
  writeNote,
  writeText,
} from "../output/terminal.ts";
import { formatToolLine } from "../output/toolLine.ts";
import { formatEvent, OUTCOME_TEXT } from "../run/eventText.ts";
import { RunCallLog } from "../run/RunCallLog.ts";

export interface ScreenOptions {
  /** Output for answers. */
  readonly output: Output & { readonly columns?: number | undefined };
  /** True if a user reads it: other events are then shown between the answers, otherwise on standard error. */
  readonly watched: boolean;
  /** True if the cursor can be moved. */
  readonly draws: boolean;
  readonly redact: Redact;
  readonly clock: Pick<Clock, "monotonic">;
}

type Style = Parameters<typeof styleText>[0];

const WAITING = "waiting for the model";

export class ChatView {
  readonly #options: ScreenOptions;
  /** Calls of this turn. */
  #calls: RunCallLog;
  /** The current activity. */
  readonly #status: StatusLine | undefined;
  /** Kind of the text that was written last, while nothing else has followed. */
  #kind: "text" | "reasoning" | undefined;
  /** True if the cursor is after text, and not at the beginning of a line. */
  #isInLine = false;
  /** First half of a line break whose second half may come with the next piece. */
  #heldBlanks = "";
  /** The upstream's note that was already shown. */
  #pendingNote: string | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#calls = new RunCallLog(options.clock);
    this.#status = options.draws ? new StatusLine(options.output) : undefined;
  }

  /** Starts a turn. */
  begin(): void {
    this.#calls = new RunCallLog(this.#options.clock);
    this.#status?.show(WAITING);
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#writeText(joinAnswerText(event));
        return;
      case "reasoning-delta":
        this.#thoughts(event.text);
        return;
      case "turn-start":
        if (event.note !== undefined && event.note !== this.#pendingNote) this.aside(event.note);
        this.#pendingNote = event.note ?? this.#pendingNote;
        return;
      case "run-end":
        this.#endRun(event);
        return;
      case "turn-failed":
        if (event.failure.code === "cancelled") this.aside("stopped");
        else this.fault(`failed: ${replaceWithCommands(event.failure.message)}`);
        return;
      default:
        this.#work(event, "");
        return;
    }
  }

  /** Ends a turn: the next output begins on a new line. */
  end(): void {
    this.#toLine();
    if (this.#options.watched) this.#write("\n");
    this.#kind = undefined;
  }

  /** Writes a line of the program itself. */
  line(text: string): void {
    this.#line(text);
  }

  /** Writes a dimmed line. */
  aside(text: string): void {
    this.#line(`· ${text}`, "dim");
  }

  fault(message: string): void {
    for (const line of message.split("\n")) this.#line(line, "red");
  }

  /** Shows an earlier message, in complete lines. */
  showMessage(who: "user" | "assistant", text: string): void {
    const shown = who === "user" ? `› ${text}` : text;
    for (const line of shown.split("\n")) this.#line(line, who === "user" ? "bold" : undefined);
  }

  /** Shows activity other than text. @param within name of the nested agent, if it is not the agent itself. */
  #work(event: RunEvent, within: string): void {
    switch (event.type) {
      case "tool-start":
        this.#calls.began(event.call, within);
        if (this.#options.watched) this.#toLine();
        this.#showStatus();
        return;
      case "tool-result":
        this.#toolEnded(event.callId, event, within);
        return;
      case "task-start":
        this.aside(`${within}${event.name} goes on beside the answer`);
        return;
      case "task-end":
        this.#toolEnded(event.task, event, within);
        return;
      case "nested":
        this.#work(event.event, `${within}${event.agent} › `);
        return;
      default: {
        const eventText = formatEvent(event);
        if (eventText !== undefined) this.aside(`${within}${eventText}`);
      }
    }
  }

  #toolEnded(
    id: string,
    { name, content, isError }: Pick<Extract<RunEvent, { type: "tool-result" }>, "name" | "content" | "isError">,
    within: string,
  ): void {
    const { arguments: args, ms, agent = "" } = this.#calls.endCall(id, { name, isError }, within);
    this.#line(
      formatToolLine(
        { name: `${agent}${name}`, arguments: args, isError, content, ms },
        getColumns(this.#options.output),
      ),
      isError ? "red" : "dim",
    );
    this.#showStatus();
  }

  #showStatus(): void {
    const { running } = this.#calls;
    this.#status?.show(running.length > 0 ? running.join(", ") : WAITING);
  }

  #endRun({ outcome, sources = [] }: Extract<RunEvent, { type: "run-end" }>): void {
    this.#toLine();
    if (sources.length > 0) this.aside("rests on:");
    for (const [at, source] of sources.entries()) this.aside(`${at + 1}. ${sourceLine(source)}`);
    const explanation = OUTCOME_TEXT[outcome];
    if (explanation !== undefined) this.aside(explanation);
  }

  #writeText(text: string): void {
    const shown = this.#beginText(text, "text");
    if (shown !== "") writeText(shown, this.#options.output);
  }

  /** A pipe receives only the answer. */
  #thoughts(text: string): void {
    if (!this.#options.watched) return;
    const shown = this.#beginText(text, "reasoning");
    if (shown !== "") this.#write(this.#styled(sanitizeForTerminal(shown), "dim"));
  }

  /** The text as a continuation of text of the same kind. */
  #beginText(text: string, kind: "text" | "reasoning"): string {
    const isContinued = this.#kind === kind;
    const shown = this.#options.watched ? this.#toReadable(text, isContinued) : text;
    if (shown === "") return "";
    if (isContinued) this.#status?.clear();
    else this.#toLine();
    this.#kind = kind;
    this.#isInLine = !shown.endsWith("\n");
    return shown;
  }

  /** Text for display: without leading empty lines, and no line break is split. */
  #toReadable(text: string, isContinued: boolean): string {
    const collected = isContinued ? this.#heldBlanks + text : text.replace(/^[\r\n]+/, "");
    this.#heldBlanks = collected.endsWith("\r") ? "\r" : "";
    return collected.slice(0, collected.length - this.#heldBlanks.length);
  }

  #line(text: string, style?: Style): void {
    const { redact, watched } = this.#options;
    if (!watched) {
      writeNote(redact(text));
      return;
    }
    this.#toLine();
    this.#kind = undefined;
    this.#write(`${this.#styled(sanitizeLine(redact(text)), style)}\n`);
  }

  #toLine(): void {
    this.#status?.clear();
    if (this.#isInLine) this.#write("\n");
    this.#isInLine = false;
  }

  #styled(text: string, style: Style | undefined): string {
    const { output } = this.#options;
    return style === undefined ? text : styleText(style, text, { stream: output as NodeJS.WriteStream });
  }

  #write(text: string): void {
    this.#options.output.write(text);
  }
}

function sourceLine({ title, url, id, tool }: ToolCitation): string {
  return [title, url, url === undefined ? id : undefined, `(${tool})`].filter((part) => part !== undefined).join(" ");
}
