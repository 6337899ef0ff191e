// Creates the prompter for a terminal or a pipe.
import type { ReadStream, WriteStream } from "node:tty";
import { canMoveCursor } from "../output/terminal.ts";
import { PipePrompter } from "./PipePrompter.ts";
import type { Prompter } from "./Prompter.ts";
import type { StdinLines } from "./StdinLines.ts";

export interface PersonPlace {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Source of answers if nothing can be drawn; otherwise unused. */
  readonly lines: StdinLines;
}

export async function createPrompter({ input, output, lines }: PersonPlace): Promise<Prompter> {
  if (!canDraw({ input, output })) return new PipePrompter(lines, output);
  const editor = process.env.VISUAL || process.env.EDITOR || "";
  const { TerminalPrompter } = await import("./TerminalPrompter.ts");
  return new TerminalPrompter({ input, output }, editor.split(" ").filter(Boolean));
}

/** Returns true if single keys can be read and the cursor can be moved. */
export function canDraw({ input, output }: Pick<PersonPlace, "input" | "output">): boolean {
  return input.isTTY && canMoveCursor(output);
}
