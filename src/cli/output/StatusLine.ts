// One line of a terminal that says what goes on now: drawn over itself, and gone without a trace. Knows no run.
import { escapeControls } from "../../telemetry/escapeControls.ts";
import type { Output } from "./terminal.ts";

const FRAMES = ["|", "/", "-", "\\"];
const FRAME_MS = 120;
/** What is longer than the line is cut by the terminal, which alone knows how wide its characters are. */
const NO_WRAP = "\u001b[?7l";
const WRAP = "\u001b[?7h";
const BLANK = "\r\u001b[K";

export class StatusLine {
  readonly #output: Output;
  #text: string | undefined;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Of a terminal whose cursor stands at the beginning of a line. */
  constructor(output: Output) {
    this.#output = output;
  }

  show(text: string): void {
    this.#text = text;
    this.#draw();
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  /** What is written next stands in the place of the line. */
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
