// Explains schema faults to the author of a configuration file. Never shows a value, which may be a secret.
import type { z } from "zod";
import { suggestName } from "./suggestName.ts";

/** A fault: the path of its field and, if a key itself is wrong, that key. */
export interface Explained {
  readonly path: readonly PropertyKey[];
  readonly key?: string | undefined;
  readonly message: string;
}

/** Explains issues of `schema` for the data that it rejected. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  data: unknown,
): readonly Explained[] {
  return issues.flatMap((issue): Explained[] => {
    if (issue.code === "unrecognized_keys") {
      const known = listKeys(schema, issue.path, data);
      return issue.keys.map((key) => ({
        path: issue.path,
        key,
        message: describeUnknownKey(key, known),
      }));
    }
    if (issue.code === "invalid_key") return issue.issues.map(({ message }) => ({ path: issue.path, message }));
    const missing = issue.path.length > 0 && getValue(data, issue.path) === undefined;
    if (!missing) return [{ path: issue.path, message: issue.message }];
    const hint = issue.code === "invalid_union" ? describeMisspelling(data, issue.path) : "";
    return [{ path: issue.path, message: `is missing; ${issue.message}${hint}` }];
  });
}

/** Keys of versions before 0.1.0 that have another name now. */
const RENAMED_KEYS: ReadonlyMap<string, string> = new Map([
  ["max_held_bytes", "max_buffered_bytes"],
  ["reader_ms", "client_stall_ms"],
  ["reasks", "max_corrections"],
  ["calls_handed_over", "max_client_calls"],
  ["most", "retention.max"],
]);

function describeUnknownKey(key: string, known: readonly string[]): string {
  const renamed = RENAMED_KEYS.get(key);
  if (renamed !== undefined && known.includes(renamed.split(".")[0] ?? renamed))
    return `the key \`${key}\` is now \`${renamed}\`; rename it`;
  return `unknown key \`${key}\`${suggestName(key, known) || `; known are ${known.join(", ")}`}`;
}

/** The sibling key that was probably meant: in a union without discriminator nothing else reports an unknown key. */
function describeMisspelling(data: unknown, path: readonly PropertyKey[]): string {
  const owner = getValue(data, path.slice(0, -1));
  const wanted = String(path.at(-1));
  const found = Object.keys(owner ?? {}).find((key) => suggestName(key, [wanted]) !== "");
  return found === undefined ? "" : `, and \`${found}\` stands there`;
}

function getValue(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const step of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** The keys that a strict object schema at `path` has; follows wrappers down to the object. */
function listKeys(schema: z.ZodType, path: readonly PropertyKey[], data: unknown): readonly string[] {
  let current: unknown = schema;
  let value = data;
  for (const step of path) {
    const definition = resolveDefinition(current, value);
    current = definition?.type === "array" ? definition.element : definition?.shape?.[String(step)];
    value = getValue(value, [step]);
  }
  return Object.keys(resolveDefinition(current, value)?.shape ?? {});
}

interface Definition {
  readonly type?: string;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
  readonly innerType?: unknown;
  readonly in?: unknown;
  readonly out?: unknown;
  readonly options?: readonly unknown[];
}

function resolveDefinition(schema: unknown, data: unknown): Definition | undefined {
  let definition = rawDefinition(schema);
  for (;;) {
    if (definition?.innerType) definition = rawDefinition(definition.innerType);
    else if (definition?.type === "pipe") definition = getPipeEnds(definition);
    else if (definition?.options) return alternative(definition.options, data);
    else return definition;
  }
}

/** A preprocessed value is described by the schema that checks it. */
function getPipeEnds({ in: first, out: second }: Definition): Definition | undefined {
  const definition = rawDefinition(first);
  return definition?.type === "transform" ? rawDefinition(second) : definition;
}

/** The alternative of a union whose `type` equals that of the data, or may be absent. */
function alternative(options: readonly unknown[], data: unknown): Definition | undefined {
  return options
    .map((option) => resolveDefinition(option, data))
    .find((definition) => listLiterals(definition?.shape?.type).includes(getValue(data, ["type"])));
}

function listLiterals(schema: unknown): readonly unknown[] {
  const definition = rawDefinition(schema);
  if (definition?.type === "optional") return [...listLiterals(definition.innerType), undefined];
  return definition && "values" in definition && Array.isArray(definition.values) ? definition.values : [];
}

function rawDefinition(schema: unknown): Definition | undefined {
  return (schema as { readonly _zod?: { readonly def?: Definition } } | undefined)?._zod?.def;
}
