// Assesses the risk of a call's SQL and command arguments, which the tool's schema declares. Runs nothing.
import { memoize } from "../../core/async/memoize.ts";
import { isObject, type JsonObject, type JsonValue, type ToolSpec, toItems } from "../../core/messages.ts";
import type { RunCommand, Tool } from "../Tool.ts";
import type { Risk } from "./Risk.ts";
import { assessCommand, assessCommandLine, type CommandPolicy } from "./shell/commandRisk.ts";
import { StatementAssessor } from "./sql/StatementAssessor.ts";

/** Maximum characters of statements and commands per call that are analysed; no approver could check more. */
const MOST_CHARS = 40_000;
/** Maximum number of argument values that are matched with schema parts that have a format: about 20 ms of CPU. */
const MOST_VALUES = 50_000;
/** Levels of a schema that are looked into. */
const MOST_LEVELS = 32;

/** An argument with the format that its schema declares. */
interface Declared {
  readonly format: string;
  readonly value: JsonValue;
}

/**
 * The first risk of a call. It analyses arguments whose schema has `format: sql` (statements), `command` (a command line) or
 * `argv` (a list of a program and its arguments). @param args as they would run. @param policy for commands.
 */
export function assessCall(
  tool: Pick<ToolSpec, "parameters">,
  args: JsonObject,
  policy: CommandPolicy = "on",
  sql: StatementAssessor = new StatementAssessor(),
): Risk | undefined {
  const { parameters } = tool;
  const search = { steps: MOST_VALUES };
  let chars = 0;
  for (const { format, value } of findDeclared(parameters, args, { search, levels: MOST_LEVELS })) {
    chars += measureChars(value);
    if (chars > MOST_CHARS)
      return {
        rule: "unread",
        reason: `${chars} characters of ${format} are more than can be checked (${MOST_CHARS})`,
      };
    const found = assessDeclared({ format, value }, policy, sql);
    if (found) return found;
  }
  return search.steps < 0
    ? { rule: "unread", reason: `the arguments hold more values than can be checked (${MOST_VALUES})` }
    : undefined;
}

/** The risk of a call: of its arguments, and of the command that it would run, according to the tool's policy. */
export function callDanger(tool: Tool, args: JsonObject): Risk | undefined {
  const { danger: policy = "on" } = tool;
  if (policy === "off") return undefined;
  const sql = new StatementAssessor();
  const found = assessCall(tool.spec, args, policy, sql);
  if (found) return found;
  const command = getCommand(tool, args);
  return command && assessCommand(command.argv, policy, sql);
}

/** The command that the call would run; undefined if the tool starts no program, or would refuse the call. */
function getCommand(tool: Tool, args: JsonObject): RunCommand | undefined {
  try {
    return tool.command?.(args);
  } catch {
    return undefined;
  }
}

const FORMATS = new Set(["sql", "command", "argv"]);

const declaring = new WeakMap<JsonObject, boolean>();

/** Returns true if a part of the schema declares one of the formats. Most schemas do not, and then no values are searched. */
function declaresFormat(schema: JsonValue | undefined): schema is JsonObject {
  return (
    isObject(schema) && memoize(declaring, schema, () => /"format":"(?:sql|command|argv)"/.test(JSON.stringify(schema)))
  );
}

/** Characters of a text or of a list of texts, counted only up to the limit. */
function measureChars(value: JsonValue): number {
  if (!Array.isArray(value)) return typeof value === "string" ? value.length : 0;
  let chars = 0;
  for (const word of value) {
    chars += typeof word === "string" ? word.length + 1 : 1;
    if (chars > MOST_CHARS) break;
  }
  return chars;
}

function assessDeclared({ format, value }: Declared, policy: CommandPolicy, sql: StatementAssessor): Risk | undefined {
  if (format === "sql") return typeof value === "string" ? sql.assess(value) : undefined;
  if (typeof value === "string") return assessCommandLine(value, policy, sql);
  const words = toItems(value).filter((word) => typeof word === "string");
  return Array.isArray(value) ? assessCommand(words, policy, sql) : undefined;
}

interface Search {
  /** Number of values that may still be searched, shared by the complete search. */
  readonly search: { steps: number };
  /** Number of schema levels that may still be searched. */
  readonly levels: number;
}

/** Every value within an argument for which the schema declares a format; ends early if no steps are left. */
function* findDeclared(
  schema: JsonValue | undefined,
  value: JsonValue,
  { search, levels }: Search,
): Generator<Declared> {
  if (!declaresFormat(schema) || levels === 0 || --search.steps < 0) return;
  const { format } = schema;
  if (typeof format === "string" && FORMATS.has(format)) yield { format, value };
  const below = { search, levels: levels - 1 };
  for (const key of ["anyOf", "oneOf", "allOf"])
    for (const one of toItems(schema[key])) yield* findDeclared(one, value, below);
  yield* findDeclaredBelow(schema, value, below);
}

function* findDeclaredBelow(schema: JsonObject, value: JsonValue, search: Search): Generator<Declared> {
  if (Array.isArray(value)) {
    const first = toItems(schema.prefixItems);
    if (first.length === 0 && !declaresFormat(schema.items)) return;
    for (const [index, item] of value.entries()) yield* findDeclared(first[index] ?? schema.items, item, search);
  } else if (isObject(value)) {
    const properties = isObject(schema.properties) ? schema.properties : {};
    for (const key of Object.keys(value)) {
      const wanted = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
      yield* findDeclared(wanted, value[key] ?? null, search);
    }
  }
}
