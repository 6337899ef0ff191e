// One terminal line that shows the current activity; it is redrawn in place and erased without a trace.
import { escapeControls } from "../../telemetry/escapeControls.ts";
import type { Output } from "./terminal.ts";

const FRAMES = ["|", "/", "-", "\\"];
const FRAME_MS = 120;
/** The terminal cuts a longer text, because only it knows the width of its characters. */
const NO_WRAP = "\u001b[?7l";
const WRAP = "\u001b[?7h";
const BLANK = "\r\u001b[K";

export class StatusLine {
  readonly #output: Output;
  #text: string | undefined;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Requires a terminal whose cursor is at the beginning of a line. */
  constructor(output: Output) {
    this.#output = output;
  }

  show(text: string): void {
    this.#text = text;
    this.#draw();
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  /** The next output replaces the line. */
  clear(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#text !== undefined) this.#output.write(BLANK);
    this.#text = undefined;
  }

  #draw(): void {
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    const text = escapeControls((this.#text ?? "").replaceAll(/\s+/g, " "));
    this.#output.write(`${BLANK}${NO_WRAP}${frame} ${text}${WRAP}`);
  }
}
