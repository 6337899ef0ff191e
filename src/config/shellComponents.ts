// Components of the type `shell`: programs as tools. Checks what can be told of a command before any call; starts nothing.
import { z } from "zod";
import { type ShellActionConfig, type ShellComponent, templatesOfCommand } from "../core/components.ts";
import { escapeTemplate } from "../core/template.ts";
import { actionFields, checkBeside, checkParams, type Fail, ONLY_ACTION, toolNameOf } from "./actionFields.ts";
import { identifier, listOf, someText, whole } from "./fields.ts";
import type { KnownNames } from "./KnownNames.ts";
import { findProgram, folderAt, type Machine, pathOf, valuesOf, variables } from "./programs.ts";
import { type Roots, textTemplate } from "./templates.ts";

const INPUTS: Roots = { roots: ["input"], namesInputs: true };
const OWNERS: Roots = { roots: ["owner"] };
const RESULT: Roots = { roots: ["result"] };

/** Milliseconds. */
const USUAL_TIME = 30_000;

/** What an action says of itself, wherever it is written. */
const commandFields = {
  ...actionFields,
  command: words().optional(),
  stdin: textTemplate(INPUTS).optional(),
  timeout_ms: whole("milliseconds", 1, 3_600_000).optional(),
  output: textTemplate(RESULT).optional(),
};

const actionSchema = z.strictObject({
  id: identifier(),
  description: someText("a description for the model").optional(),
  ...commandFields,
});

type WrittenAction = z.output<typeof actionSchema>;

/** What a command is checked against. */
interface Surroundings {
  readonly cwd: string;
  readonly path: string;
  readonly known: Pick<KnownNames, "commandFaults">;
}

export function shellSchema(known: Pick<KnownNames, "commandFaults">, machine: Machine) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("shell"),
      description: someText("a description for the model").optional(),
      cwd: someText("a folder").optional(),
      env: variables(textTemplate(OWNERS), "`env` and `owner` alone").default([]),
      actions: listOf(actionSchema, "actions").min(1, { error: "expected at least one action" }).optional(),
      ...commandFields,
    })
    .transform(({ type, id, description = `Runs the program of ${id}.`, actions, ...written }, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
      const { cwd: folder, env: given, ...own } = written;
      if (actions) checkBeside(own, fail);
      const commands: readonly WrittenAction[] = actions ?? [{ id: ONLY_ACTION, ...own }];
      const cwd = folderOf(folder, commands, { machine, fail });
      if (cwd === undefined) return z.NEVER;
      const env = { PATH: pathOf(machine.env), ...valuesOf(given, machine.env, escapeTemplate) };
      const shell: ShellComponent = {
        ...{ type, id, description, cwd, env },
        ...(!Array.isArray(given) && "PATH" in given && { searchPath: given.PATH }),
        actions: commands.map((command, at) => {
          const below: Fail = (path, message) => fail(actions ? ["actions", at, ...path] : path, message);
          return actionOf(command, toolNameOf(id, command.id, commands), { cwd, path: env.PATH, known }, below);
        }),
      };
      return { type, shell };
    });
}

function actionOf(
  { command = [], params = {}, timeout_ms = USUAL_TIME, ...rest }: WrittenAction,
  tool: string,
  { cwd, path, known }: Surroundings,
  fail: Fail,
): ShellActionConfig {
  const { stdin } = rest;
  if (command.length === 0) fail(["command"], "expected a list of words, the program first");
  const faults = command.length === 0 ? [] : known.commandFaults({ command, stdin, params });
  for (const { at, message } of faults) fail(at === "stdin" ? [at] : ["command", at], message);
  checkParams(params, templatesOfCommand({ command, stdin }), fail);
  const found = findProgram(command[0] ?? "", cwd, path);
  const program = "file" in found ? found.file : "";
  if ("fault" in found && command.length > 0 && !faults.some(({ at }) => at === 0)) fail(["command", 0], found.fault);
  return { ...rest, tool, command, params, program, timeoutMs: timeout_ms };
}

function words() {
  const error = `expected a list of words, the program first, as in [cat, --, "\${input.file_path}"]: no shell reads it`;
  const word = textTemplate(INPUTS, "a word (quote what looks like a number or a boolean)");
  return z.array(word, { error }).min(1, { error });
}

/** The folder without links; undefined where there is none, which is told. */
function folderOf(
  written: string | undefined,
  commands: readonly WrittenAction[],
  { machine, fail }: { readonly machine: Machine; readonly fail: Fail },
): string | undefined {
  const hasPaths = commands.some(({ params = {} }) => Object.values(params).some(({ format }) => format === "path"));
  if (written === undefined && hasPaths) fail(["cwd"], "expected the folder that paths (`format: path`) stay in");
  else {
    const folder = folderAt(machine.folder, written ?? ".");
    if (folder !== undefined) return folder;
    fail(["cwd"], "expected an existing folder, absolute or relative to this file");
  }
  return undefined;
}
