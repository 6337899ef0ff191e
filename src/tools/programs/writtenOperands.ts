// Finds the operands of a program that name files or folders which it writes, moves or removes.
import { nameSet } from "./optionNames.ts";
import type { ProgramRow } from "./ProgramRow.ts";
import { type Arguments, hasOption, type Operand } from "./parseArgv.ts";

/** The operands that the program writes with these arguments. Does not examine verbs. */
export function findWritten(row: ProgramRow, args: Arguments): readonly Operand[] {
  const { written, edits, printsWith = "", writes = "", code = "", chooses = "", script = 0 } = row;
  if (written === undefined || hasOption(args, nameSet(printsWith))) return [];
  if (edits !== undefined && !hasOption(args, nameSet(edits))) return [];
  const { operands } = args;
  if (written === "first") return operands.slice(0, 1);
  // An option that names the target folder replaces the last operand.
  if (written === "last") return operands.length < 2 || hasOption(args, nameSet(writes)) ? [] : operands.slice(-1);
  return operands.slice(hasOption(args, nameSet(`${code} ${chooses}`)) ? 0 : script);
}
