// Who is asked: somebody at a terminal, or at the other end of a pipe. Knows no question.
import type { ReadStream, WriteStream } from "node:tty";
import { movesCursor } from "../terminal.ts";
import { LinePerson } from "./LinePerson.ts";
import type { LineSource } from "./LineSource.ts";
import type { Person } from "./Person.ts";

export interface PersonPlace {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Where answers come from if nothing can be drawn; untouched otherwise. */
  readonly lines: LineSource;
}

export async function personAt({ input, output, lines }: PersonPlace): Promise<Person> {
  if (!canDraw({ input, output })) return new LinePerson(lines, output);
  const editor = process.env.VISUAL || process.env.EDITOR || "";
  const { TerminalPerson } = await import("./TerminalPerson.ts");
  return new TerminalPerson({ input, output }, editor.split(" ").filter(Boolean));
}

/** True where keys are heard one by one and a cursor can be moved. */
export function canDraw({ input, output }: Pick<PersonPlace, "input" | "output">): boolean {
  return input.isTTY && movesCursor(output);
}
