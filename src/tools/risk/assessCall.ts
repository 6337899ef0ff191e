// Whether a call would do what a person should have agreed to, by what its tool's schema says its arguments are. Runs nothing, asks nobody.
import { isObject, type JsonObject, type JsonValue, type ToolSpec } from "../../core/messages.ts";
import type { RunCommand, Tool } from "../Tool.ts";
import type { Risk } from "./Risk.ts";
import { assessCommand, assessCommandLine, type CommandPolicy } from "./shell/commandRisk.ts";
import { selectDialects } from "./sql/dialects.ts";
import { assessStatement } from "./sql/statementRisk.ts";

/** Characters of statements and commands of one call that are looked into; nobody would agree to more on sight. */
const MOST_CHARS = 40_000;
/** Characters of statements of one call, each as often as databases may read it differently. */
const MOST_READ = 100_000;
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
): Risk | undefined {
  const declared = findDeclared(tool.parameters, args, MOST_LEVELS);
  let chars = 0;
  let read = 0;
  for (const { format, value } of declared) {
    chars += JSON.stringify(value).length;
    if (chars > MOST_CHARS)
      return {
        rule: "unread",
        reason: `${chars} characters of ${format} are more than can be checked (${MOST_CHARS})`,
      };
    if (format === "sql" && typeof value === "string") read += value.length * selectDialects(value).length;
    if (read > MOST_READ)
      return { rule: "unread", reason: "databases would read the statements in more ways than can be checked" };
    const found = assessDeclared({ format, value }, policy);
    if (found) return found;
  }
  return undefined;
}

/** The danger of a call: in its arguments, and in the command that it would run, as far as the tool's policy asks. */
export function callDanger(tool: Tool, args: JsonObject): Risk | undefined {
  const { danger: policy = "on" } = tool;
  if (policy === "off") return undefined;
  const command = getCommand(tool, args);
  return assessCall(tool.spec, args, policy) ?? (command && assessCommand(command.argv, policy));
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

function assessDeclared({ format, value }: Declared, policy: CommandPolicy): Risk | undefined {
  if (format === "sql") return typeof value === "string" ? assessStatement(value) : undefined;
  if (typeof value === "string") return assessCommandLine(value, policy);
  const words = toList(value).filter((word) => typeof word === "string");
  return Array.isArray(value) ? assessCommand(words, policy) : undefined;
}

/** Every value within an argument that some part of the schema gives one of the formats. */
function findDeclared(schema: JsonValue | undefined, value: JsonValue, levels: number): readonly Declared[] {
  if (!isObject(schema) || levels === 0) return [];
  const { format } = schema;
  const own = typeof format === "string" && FORMATS.has(format) ? [{ format, value }] : [];
  const same = ["anyOf", "oneOf", "allOf"]
    .flatMap((key) => toList(schema[key]))
    .flatMap((one) => findDeclared(one, value, levels - 1));
  return [...own, ...same, ...declaredBelow(schema, value, levels - 1)];
}

function declaredBelow(schema: JsonObject, value: JsonValue, levels: number): readonly Declared[] {
  if (Array.isArray(value)) {
    const first = toList(schema.prefixItems);
    return value.flatMap((item, index) => findDeclared(first[index] ?? schema.items, item, levels));
  }
  if (!isObject(value)) return [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.entries(value).flatMap(([key, item]) =>
    findDeclared(Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties, item, levels),
  );
}

function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
