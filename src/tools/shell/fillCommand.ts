// Fills the values of a call into a command. Refuses values that a program could take for anything but a value. Runs nothing.
import type { ShellActionConfig } from "../../core/config/components.ts";
import { isExactNumber } from "../../core/json/exactArguments.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { ProcessRequest } from "../../core/ports.ts";
import { type Placeholder, parseParts, resolvePlaceholder, stringifyValue } from "../../core/template/fillTemplate.ts";
import { findCommand } from "../risk/shell/launchers.ts";
import { getPathBase, validatePath } from "./paths.ts";

/** Maximum bytes of one argument on Linux (MAX_ARG_STRLEN), including its NUL. */
const MAX_WORD_BYTES = 131_071;
/** Maximum bytes of all arguments: half of Linux's limit with its usual stack, because the environment counts too. */
const MAX_COMMAND_BYTES = 1_048_576;

/** @throws Error that names the value which is not allowed at its position. */
export function fillCommand(
  action: Pick<ShellActionConfig, "command" | "stdin" | "params">,
  args: JsonObject,
): Pick<ProcessRequest, "argv" | "paths" | "stdin"> {
  const { command, stdin, params } = action;
  const filling: Filling = { args, params, paths: [] };
  const ends = endOfSwitches(command);
  const argv = command.map((template, at) => fillWord(template, at > ends, filling));
  const sizes = argv.map((word) => Buffer.byteLength(word) + 1);
  if (sizes.some((size) => size > MAX_WORD_BYTES))
    throw new Error(`a value is longer than a program can be given (${MAX_WORD_BYTES} bytes).`);
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_COMMAND_BYTES)
    throw new Error(`the values are together longer than a program can be given (${MAX_COMMAND_BYTES} bytes).`);
  const text = stdin === undefined ? undefined : fillText(stdin, filling);
  return { argv, paths: filling.paths, ...(text !== undefined && { stdin: text }) };
}

interface Filling {
  readonly args: JsonObject;
  readonly params: ShellActionConfig["params"];
  /** Paths so far that must stay in the folder. */
  readonly paths: string[];
}

/** Index of the `--` after which the program accepts no switches. */
function endOfSwitches(command: readonly string[]): number {
  const at = command.indexOf("--", findCommand(command).at + 1);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function fillWord(template: string, behindEnd: boolean, filling: Filling): string {
  const word = fillText(template, filling);
  const [first] = parseParts(template);
  if (first?.type === "placeholder" && word.startsWith("-") && !behindEnd)
    throw new Error(`${first.source} must not begin with \`-\`: the program would take it for a switch.`);
  return word;
}

function fillText(template: string, filling: Filling): string {
  let before = "";
  for (const part of parseParts(template))
    before += part.type === "text" ? part.text : fillValue(part, before, filling);
  return before;
}

/** @param before text before the placeholder in its word. */
function fillValue(placeholder: Placeholder, before: string, { args, params, paths }: Filling): string {
  const { source, path } = placeholder;
  const schema = params[path[0] ?? ""];
  const value = resolvePlaceholder(placeholder, { input: args });
  if (value === null) throw new Error(`${source} has no value.`);
  if (typeof value === "object" && !isExactNumber(value) && !takesData(schema))
    throw new Error(`${source} must be a text or a number.`);
  const text = stringifyValue(value);
  if (text.includes("\0") || !text.isWellFormed())
    throw new Error(`${source} holds a NUL or half a character, which no program can be given.`);
  if (schema?.format !== "path") return text;
  const fault = validatePath(text);
  if (fault !== undefined) throw new Error(`${source} must be a relative path: ${fault}.`);
  paths.push(`${getPathBase(before)}${text}`);
  return text;
}

/** Returns true if the operator declared that JSON data is allowed there. */
function takesData(schema: JsonObject | undefined): boolean {
  const types: readonly (JsonValue | undefined)[] = [schema?.type ?? null].flat();
  return types.includes("object") || types.includes("array");
}
