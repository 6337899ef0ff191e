// Who is asked: somebody at a terminal, or at the other end of a pipe. Knows no question.
import type { ReadStream, WriteStream } from "node:tty";
import { canMoveCursor } from "../output/terminal.ts";
import { PipePrompter } from "./PipePrompter.ts";
import type { Prompter } from "./Prompter.ts";
import type { StdinLines } from "./StdinLines.ts";

export interface PersonPlace {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Where answers come from if nothing can be drawn; untouched otherwise. */
  readonly lines: StdinLines;
}

export async function createPrompter({ input, output, lines }: PersonPlace): Promise<Prompter> {
  if (!canDraw({ input, output })) return new PipePrompter(lines, output);
  const editor = process.env.VISUAL || process.env.EDITOR || "";
  const { TerminalPrompter } = await import("./TerminalPrompter.ts");
  return new TerminalPrompter({ input, output }, editor.split(" ").filter(Boolean));
}

/** True where keys are heard one by one and a cursor can be moved. */
export function canDraw({ input, output }: Pick<PersonPlace, "input" | "output">): boolean {
  return input.isTTY && canMoveCursor(output);
}
