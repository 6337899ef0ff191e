// A command that a call would run, rendered for its approver. Runs nothing.
import type { ShellComponent } from "../../core/components.ts";
import type { ProcessRequest, Redact } from "../../core/ports.ts";
import type { CallEffect } from "../Tool.ts";
import { shownCommand } from "./shownCommand.ts";

/** The program stands in `argv` as the configuration writes it; of the environment the names count, since values may be credentials. */
export function commandEffect(
  { cwd, env }: Pick<ShellComponent, "cwd" | "env">,
  command: Pick<ProcessRequest, "argv" | "stdin">,
  redact: Redact,
): CallEffect {
  const argv = command.argv.map(redact);
  const stdin = command.stdin === undefined ? undefined : redact(command.stdin);
  // Every program has a `PATH`, by which nothing is looked up here.
  const variables = Object.keys(env)
    .filter((name) => name !== "PATH")
    .toSorted();
  const lines = [`run this command? ${shownCommand(argv)}`, `folder: ${shownCommand([cwd])}`];
  if (variables.length > 0) lines.push(`environment: ${variables.join(", ")}`);
  if (stdin !== undefined) lines.push(`standard input: ${shownCommand([stdin])}`);
  return { question: lines.join("\n"), deed: { argv, cwd, variables, stdin: stdin ?? null } };
}
