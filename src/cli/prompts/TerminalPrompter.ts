// Asks a user at a terminal: lists with arrow keys, text lines, and the user's editor.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadStream, WriteStream } from "node:tty";
import { styleText } from "node:util";
import { type CANCEL_SYMBOL, isCancel, note, select, settings, text } from "@clack/prompts";
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { PostelError } from "../../core/failures.ts";
import { runEditor } from "../../processes/runEditor.ts";
import { sanitizeForTerminal, sanitizeLine } from "../output/terminal.ts";
import type { Choice, Editing, Prompter, Showing, Writing } from "./Prompter.ts";

export interface TerminalStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

/** Columns that the frame around a text needs. */
const FRAME = 6;
/** Maximum characters of an option in the list; a longer one is shown above it completely. */
const LONGEST_OPTION = 160;
/** Maximum characters of an editable line: it is redrawn at each key. */
const LONGEST_LINE = 2_000;

// The prompts treat these letters as arrow keys everywhere in the process: a line typed at a list, such as "not ok", would
// approve.
for (const letter of ["h", "j", "k", "l"]) settings.aliases.delete(letter);

export class TerminalPrompter implements Prompter {
  readonly #streams: TerminalStreams;
  readonly #editor: readonly string[];

  /** @param editor program that edits texts, with its arguments; empty: texts are edited in a line. */
  constructor(streams: TerminalStreams, editor: readonly string[]) {
    this.#streams = streams;
    this.#editor = editor;
  }

  async choose({ message, options }: Choice): Promise<number | undefined> {
    const heading = this.#heading(message, "Your choice");
    const labels = options.map((option) => sanitizeLine(option));
    const isLong = labels.some((label) => label.length > LONGEST_OPTION);
    const numbered = labels.map((label, at) => `${at + 1}. ${label}`);
    if (isLong) this.show({ title: "To choose from", text: numbered.join("\n") });
    const listed = (isLong ? numbered.map(shortened) : labels).map((label, value) => ({ value, label }));
    return await this.#askOrAbort((signal) => select({ ...this.#streams, signal, message: heading, options: listed }));
  }

  async write({ message, initial, optional = false }: Writing): Promise<string | undefined> {
    const heading = this.#heading(message, optional ? "Your answer, or nothing" : "Your answer");
    const input = await this.#askOrAbort((signal) =>
      text({
        ...{ ...this.#streams, signal, message: heading },
        ...(initial !== undefined && { initialValue: sanitizeForTerminal(initial.replaceAll(/\s+/g, " ")) }),
        validate: (value) => (optional || value?.trim() ? undefined : "A blank answer is none. Write one line."),
      }),
    );
    return input?.trim();
  }

  async edit({ message, text: before }: Editing): Promise<string | undefined> {
    const after = await this.#edited(message, before);
    return after?.trim() === before.trim() ? undefined : after;
  }

  show({ title, text: safeText, danger = false }: Showing): void {
    const format = danger ? (line: string) => styleText("red", line) : undefined;
    // The frame counts a tab as nothing.
    note(sanitizeForTerminal(safeText).replaceAll("\t", "    "), title, {
      output: this.#streams.output,
      ...(format && { format }),
    });
  }

  async #edited(message: string, before: string): Promise<string | undefined> {
    if (this.#editor.length > 0) return await this.#inEditor(before);
    const line = before.replaceAll(/\s+/g, " ");
    if (line.length <= LONGEST_LINE) return await this.write({ message, initial: line });
    const much = `${line.length.toLocaleString("en")} characters are too many to be changed in a line`;
    this.show({ title: "Not changed", text: `${much}. Set $EDITOR to a program that changes a file.` });
    return undefined;
  }

  async #inEditor(before: string): Promise<string | undefined> {
    const folder = await mkdtemp(join(tmpdir(), "postel-"));
    const file = join(folder, "arguments.json");
    try {
      await writeFile(file, before, { mode: 0o600 });
      await runEditor([...this.#editor, file]);
      return await readFile(file, "utf8");
    } catch (error) {
      if (!(error instanceof PostelError)) throw error;
      this.show({ title: "Not changed", text: error.message });
      return undefined;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Text that is redrawn at each key must fit into a line; a longer text is shown once, above. */
  #heading(message: string, short: string): string {
    const safeText = sanitizeForTerminal(message);
    const columns = /^[ -~]*$/.test(safeText) ? safeText.length : 2 * safeText.length;
    if (!safeText.includes("\n") && columns <= this.#streams.output.columns - FRAME) return safeText;
    this.show({ title: "Asked", text: message });
    return short;
  }

  /** The end of the input, which the prompts do not notice, cancels as Escape and Ctrl-C do. A closed keyboard is not reset. */
  async #askOrAbort<Value>(
    prompt: (signal: AbortSignal) => Promise<Value | typeof CANCEL_SYMBOL>,
  ): Promise<Value | undefined> {
    const { input } = this.#streams;
    await this.#dropKeys();
    if (input.destroyed) return undefined;
    const closeController = new AbortController();
    const leave = () => closeController.abort();
    const onClose = () => {
      input.destroy();
      leave();
    };
    const onKey = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
      if (key?.ctrl && key.name === "d") leave();
    };
    input.on("keypress", onKey).once("end", onClose).once("close", leave);
    try {
      const answer = await prompt(closeController.signal);
      return isCancel(answer) ? undefined : answer;
    } finally {
      input.off("keypress", onKey).off("end", onClose).off("close", leave);
    }
  }

  /** Discards keys that were pressed before the question was visible. */
  async #dropKeys(): Promise<void> {
    const { input } = this.#streams;
    input.setRawMode(true);
    input.resume();
    // The first tick begins the read; the next one has its data.
    await yieldToEventLoop();
    input.pause();
    input.setRawMode(false);
  }
}

function shortened(label: string): string {
  if (label.length <= LONGEST_OPTION) return label;
  return `${label.slice(0, LONGEST_OPTION)}… (${label.length.toLocaleString("en")} characters)`;
}
