// A command that a call would run, rendered for its approver. Runs nothing.
import type { ShellComponent } from "../../core/config/components.ts";
import type { ProcessRequest } from "../../core/ports.ts";
import type { CallEffect, EffectRedact } from "../Tool.ts";
import { formatCommand } from "./formatCommand.ts";

/**
 * `argv` has the program as configured. Only the names of environment variables are included, since values may be
 * credentials.
 */
export function describeCommandEffect(
  { cwd, env, searchPath }: Pick<ShellComponent, "cwd" | "env" | "searchPath">,
  command: Pick<ProcessRequest, "argv" | "stdin">,
  redact: EffectRedact,
): CallEffect {
  const { argv, stdin } = command;
  // Every program has a `PATH`: the gateway's own is not part of a plan, a configured one is.
  const variables = Object.keys(env)
    .filter((name) => name !== "PATH")
    .toSorted();
  const lines = [`run this command? ${formatCommand(argv.map(redact.shown))}`, `folder: ${formatCommand([cwd])}`];
  if (variables.length > 0) lines.push(`environment: ${variables.join(", ")}`);
  if (searchPath !== undefined) lines.push(`PATH: ${formatCommand([searchPath])}`);
  if (stdin !== undefined) lines.push(`standard input: ${formatCommand([redact.shown(stdin)])}`);
  return {
    question: lines.join("\n"),
    deed: {
      ...{ argv: argv.map(redact.planned), cwd, variables },
      ...(searchPath !== undefined && { searchPath }),
      stdin: stdin === undefined ? null : redact.planned(stdin),
    },
  };
}
