// The input line at a terminal: history, several lines, Ctrl-C and Ctrl-D.
import { createInterface, type Interface, type Key } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { sanitizeForTerminal } from "../output/terminal.ts";
import type { LineInput } from "./LineInput.ts";

export interface PromptStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

const FURTHER = "… ";
/** Messages that the arrow keys reach. */
const MOST_REMEMBERED = 1_000;
/** Bracketed paste: the terminal marks pasted text, so that its line breaks do not send it. */
const MARK_PASTES = "\u001b[?2004h";
const MARK_NO_PASTES = "\u001b[?2004l";

export class TerminalInput implements LineInput {
  readonly #streams: PromptStreams;
  /** Youngest first, as a readline interface has them. */
  #history: string[] = [];
  /** Messages that arrived together with the requested one, and the text begun after them. */
  readonly #bufferedLines: string[] = [];
  #beginText = "";

  constructor(streams: PromptStreams) {
    this.#streams = streams;
  }

  recall(messages: readonly string[]): void {
    // One that would steer the terminal is not written to it again.
    const harmless = messages.filter((text) => sanitizeForTerminal(text) === text);
    this.#history = harmless.toReversed().slice(0, MOST_REMEMBERED);
  }

  async read(sign: string): Promise<string | undefined> {
    const text = this.#bufferedLines.shift() ?? (await this.#readInput(sign));
    if (text !== undefined && text.trim() !== "" && text !== this.#history[0])
      this.#history = [text, ...this.#history].slice(0, MOST_REMEMBERED);
    return text;
  }

  async #readInput(sign: string): Promise<string | undefined> {
    const { input, output } = this.#streams;
    if (input.destroyed) return undefined;
    const history = { history: [...this.#history], historySize: MOST_REMEMBERED };
    const lines = createInterface({ input, output, terminal: true, ...history });
    const messages: string[] = [];
    const { promise: first, resolve } = Promise.withResolvers<void>();
    const draft = new Draft(lines, sign, (message) => {
      messages.push(message);
      resolve();
    });
    const interrupt = () => draft.interrupt(output, resolve);
    // A closed keyboard has no mode to reset, which the interface reports as an error.
    lines.on("SIGINT", interrupt).on("close", resolve).on("error", resolve);
    const onKey = (_: unknown, key: Key | undefined) => draft.handleKey(key);
    input.on("keypress", onKey).once("close", resolve);
    output.write(MARK_PASTES);
    lines.prompt();
    lines.write(this.#beginText);
    await first;
    // Input of the same piece is processed before the keyboard is released.
    await yieldToEventLoop();
    this.#beginText = lines.line;
    input.off("keypress", onKey).off("close", resolve);
    lines.close();
    output.write(MARK_NO_PASTES);
    const [message, ...rest] = messages;
    for (const line of rest) this.#bufferedLines.push(line);
    if (message === undefined) output.write("\n");
    return message;
  }
}

/** A message while it is written. */
class Draft {
  readonly #lines: Interface;
  readonly #sign: string;
  readonly #onMessage: (message: string) => void;
  #parts: string[] = [];
  #pasting = false;
  /** True after the hint how to leave was shown. */
  #warned = false;

  constructor(lines: Interface, sign: string, onMessage: (message: string) => void) {
    this.#lines = lines;
    this.#sign = sign;
    this.#onMessage = onMessage;
    lines.setPrompt(sign);
    // Recalled history entries use returns as line separators.
    lines.on("line", (line) => this.#add(line.replaceAll("\r", "\n")));
  }

  handleKey(key: Key | undefined): void {
    if (key?.name === "paste-start") this.#pasting = true;
    if (key?.name === "paste-end") this.#pasting = false;
  }

  /** Discards the written text. On an empty line it shows how to leave, and leaves the second time. */
  interrupt(output: Pick<WriteStream, "write">, leave: () => void): void {
    const isBlank = this.#parts.length === 0 && this.#lines.line === "";
    if (isBlank && this.#warned) {
      leave();
      return;
    }
    this.#warned = isBlank;
    this.#parts = [];
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    output.write(isBlank ? "\nCtrl-C again or Ctrl-D leaves, /help lists the commands.\n" : "\n");
    this.#lines.setPrompt(this.#sign);
    this.#lines.prompt();
  }

  #add(line: string): void {
    const isContinued = this.#pasting || line.endsWith("\\");
    if (isContinued) {
      this.#parts.push(this.#pasting ? line : line.slice(0, -1));
      this.#lines.setPrompt(FURTHER);
      this.#lines.prompt();
      return;
    }
    const message = [...this.#parts, line].join("\n");
    this.#parts = [];
    this.#onMessage(message);
  }
}
