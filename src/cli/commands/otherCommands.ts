// Registers all commands but `serve`.
import type { Command } from "commander";
import { addDataCommands } from "./dataCommands.ts";
import { addListCommands } from "./listCommands.ts";
import { addOfflineCommands } from "./offlineCommands.ts";
import { addRunCommands } from "./runCommands.ts";

/** @param exit receives the exit status. */
export function addOtherCommands(program: Command, exit: (status: number) => void): void {
  for (const add of [addRunCommands, addOfflineCommands, addListCommands, addDataCommands]) add(program, exit);
}
