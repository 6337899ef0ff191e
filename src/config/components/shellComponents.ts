// Components of type `shell`: programs as tools. Checks commands before any call; starts nothing.
import { z } from "zod";
import { collectCommandTemplates, type ShellActionConfig, type ShellComponent } from "../../core/config/components.ts";
import { escapeTemplate } from "../../core/template/parseTemplate.ts";
import { identifier, integerField, listField, nonEmptyText } from "../fields.ts";
import type { KnownNames } from "../load/KnownNames.ts";
import { createTextTemplateField, type Roots } from "../templates.ts";
import {
  actionFields,
  buildToolName,
  checkParams,
  checkSiblingFields,
  type Fail,
  ONLY_ACTION,
} from "./actionFields.ts";
import {
  createVariablesField,
  findProgram,
  getSearchPath,
  type Machine,
  resolveEnvironment,
  resolveFolder,
} from "./programs.ts";

const INPUTS: Roots = { roots: ["input"], namesInputs: true };
const OWNERS: Roots = { roots: ["owner"] };
const RESULT: Roots = { roots: ["result"] };

/** Milliseconds. */
const USUAL_TIME = 30_000;

/** Fields of an action, either in the list or in the component itself. */
const commandFields = {
  ...actionFields,
  command: createWordsField().optional(),
  stdin: createTextTemplateField(INPUTS).optional(),
  timeout_ms: integerField("milliseconds", 1, 3_600_000).optional(),
  output: createTextTemplateField(RESULT).optional(),
};

const actionSchema = z.strictObject({
  id: identifier(),
  description: nonEmptyText("a description for the model").optional(),
  ...commandFields,
});

type WrittenAction = z.output<typeof actionSchema>;

/** Context for the checks of a command. */
interface Surroundings {
  readonly cwd: string;
  readonly path: string;
  readonly known: Pick<KnownNames, "commandFaults">;
}

export function createShellSchema(known: Pick<KnownNames, "commandFaults">, machine: Machine) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("shell"),
      description: nonEmptyText("a description for the model").optional(),
      cwd: nonEmptyText("a folder").optional(),
      env: createVariablesField(createTextTemplateField(OWNERS), "`env` and `owner` alone").default([]),
      actions: listField(actionSchema, "actions").min(1, { error: "expected at least one action" }).optional(),
      ...commandFields,
    })
    .transform(({ type, id, description = `Runs the program of ${id}.`, actions, ...raw }, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
      const { cwd: folder, env: given, ...siblings } = raw;
      if (actions) checkSiblingFields(siblings, fail);
      const commands: readonly WrittenAction[] = actions ?? [{ id: ONLY_ACTION, ...siblings }];
      const cwd = resolveWorkingFolder(folder, commands, { machine, fail });
      if (cwd === undefined) return z.NEVER;
      const env = { PATH: getSearchPath(machine.env), ...resolveEnvironment(given, machine.env, escapeTemplate) };
      const shell: ShellComponent = {
        ...{ type, id, description, cwd, env },
        ...(!Array.isArray(given) && "PATH" in given && { searchPath: given.PATH }),
        actions: commands.map((command, at) => {
          const failBelow: Fail = (path, message) => fail(actions ? ["actions", at, ...path] : path, message);
          return toAction(command, buildToolName(id, command.id, commands), { cwd, path: env.PATH, known }, failBelow);
        }),
      };
      return { type, shell };
    });
}

function toAction(
  { command = [], params = {}, timeout_ms = USUAL_TIME, ...rest }: WrittenAction,
  tool: string,
  { cwd, path, known }: Surroundings,
  fail: Fail,
): ShellActionConfig {
  const { stdin } = rest;
  if (command.length === 0) fail(["command"], "expected a list of words, the program first");
  const faults = command.length === 0 ? [] : known.commandFaults({ command, stdin, params });
  for (const { at, message } of faults) fail(at === "stdin" ? [at] : ["command", at], message);
  checkParams(params, collectCommandTemplates({ command, stdin }), fail);
  const found = findProgram(command[0] ?? "", cwd, path);
  const program = "file" in found ? found.file : "";
  if ("fault" in found && command.length > 0 && !faults.some(({ at }) => at === 0)) fail(["command", 0], found.fault);
  return { ...rest, tool, command, params, program, timeoutMs: timeout_ms };
}

function createWordsField() {
  const error = `expected a list of words, the program first, as in [cat, --, "\${input.file_path}"]: no shell reads it`;
  const wordField = createTextTemplateField(INPUTS, "a word (quote what looks like a number or a boolean)");
  return z.array(wordField, { error }).min(1, { error });
}

/** The folder with links resolved; undefined if it does not exist, which is reported. */
function resolveWorkingFolder(
  raw: string | undefined,
  commands: readonly WrittenAction[],
  { machine, fail }: { readonly machine: Machine; readonly fail: Fail },
): string | undefined {
  const hasPaths = commands.some(({ params = {} }) => Object.values(params).some(({ format }) => format === "path"));
  if (raw === undefined && hasPaths) fail(["cwd"], "expected the folder that paths (`format: path`) stay in");
  else {
    const folder = resolveFolder(machine.folder, raw ?? ".");
    if (folder !== undefined) return folder;
    fail(["cwd"], "expected an existing folder, absolute or relative to this file");
  }
  return undefined;
}
