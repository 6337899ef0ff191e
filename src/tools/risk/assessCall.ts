// Whether a call would do what a person should have agreed to, by what its tool's schema says its arguments are. Runs nothing, asks nobody.
import { memoize } from "../../core/async/memoize.ts";
import { isObject, type JsonObject, type JsonValue, type ToolSpec } from "../../core/messages.ts";
import type { RunCommand, Tool } from "../Tool.ts";
import type { Risk } from "./Risk.ts";
import { assessCommand, assessCommandLine, type CommandPolicy } from "./shell/commandRisk.ts";
import { StatementAssessor } from "./sql/StatementAssessor.ts";

/** Characters of statements and commands of one call that are looked into; nobody would agree to more on sight. */
const MOST_CHARS = 40_000;
/** Values of a call's arguments that are held against those parts of its schema that have a format: about 20 ms of CPU. */
const MOST_VALUES = 50_000;
/** Levels of a schema that are looked into. */
const MOST_LEVELS = 32;

/** An argument that its schema declares, with the format that it gives it. */
interface Declared {
  readonly format: string;
  readonly value: JsonValue;
}

/**
 * The first danger of a call. Looked into are arguments whose schema says `format: sql` (a text of statements), `command` (a command line)
 * or `argv` (a program with its words, in a list).
 * @param args as they would run. @param policy of commands.
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

/** The danger of a call: in its arguments, and in the command that it would run, as far as the tool's policy asks. */
export function callDanger(tool: Tool, args: JsonObject): Risk | undefined {
  const { danger: policy = "on" } = tool;
  if (policy === "off") return undefined;
  const sql = new StatementAssessor();
  const found = assessCall(tool.spec, args, policy, sql);
  if (found) return found;
  const command = getCommand(tool, args);
  return command && assessCommand(command.argv, policy, sql);
}

/** The words that the call would run; undefined where it runs none: its tool starts no program, or would refuse. */
function getCommand(tool: Tool, args: JsonObject): RunCommand | undefined {
  try {
    return tool.command?.(args);
  } catch {
    return undefined;
  }
}

const FORMATS = new Set(["sql", "command", "argv"]);

const declaring = new WeakMap<JsonObject, boolean>();

/** Whether some part of the schema gives a value one of the formats; most schemas do not, and no value is searched for them. */
function declaresFormat(schema: JsonValue | undefined): schema is JsonObject {
  return (
    isObject(schema) && memoize(declaring, schema, () => /"format":"(?:sql|command|argv)"/.test(JSON.stringify(schema)))
  );
}

/** Of a list what its words come to, counted only as far as it matters. */
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
  const words = toList(value).filter((word) => typeof word === "string");
  return Array.isArray(value) ? assessCommand(words, policy, sql) : undefined;
}

interface Search {
  /** How many more values are searched, shared by the whole search. */
  readonly search: { steps: number };
  /** How many more levels of the schema are searched. */
  readonly levels: number;
}

/** Every value within an argument that some part of the schema gives one of the formats; ends early where no steps are left. */
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
    for (const one of toList(schema[key])) yield* findDeclared(one, value, below);
  yield* findDeclaredBelow(schema, value, below);
}

function* findDeclaredBelow(schema: JsonObject, value: JsonValue, search: Search): Generator<Declared> {
  if (Array.isArray(value)) {
    const first = toList(schema.prefixItems);
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

function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
