// Parses YAML to plain data, fills in the environment, and records the position of each value.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from "yaml";
import type { JsonValue } from "../../core/messages.ts";
import type { ConfigIssue } from "./ConfigIssue.ts";
import { type Environment, interpolateEnvironment, type Piece } from "./interpolateEnvironment.ts";

/** Maximum length in characters: no human writes a larger configuration. */
const MAX_LENGTH = 512 * 1024;
/** Levels of nesting, flow or block. */
const MAX_DEPTH = 64;

/** A text of the file that took something from the environment, or would have. */
export interface FilledScalar {
  readonly path: readonly string[];
  /** The resulting value; a number or boolean if the placeholder's default is one. */
  readonly value: JsonValue;
  readonly pieces: readonly Piece[];
}

export interface YamlFile {
  /** Plain data; strings are still templates (see `core/template`), their `env` placeholders filled in. */
  readonly value: unknown;
  readonly faults: readonly ConfigIssue[];
  readonly filled: readonly FilledScalar[];
  /** Path in the file of the value at `path`. */
  placeOf(path: readonly PropertyKey[]): readonly PropertyKey[];
  /** Offset of the value at `path`, or of its closest existing ancestor; with `key`, of that key in it. */
  getOffset(path: readonly PropertyKey[], key?: string): number;
  /** 1-based line and column of an offset. */
  getPosition(offset: number): { readonly line: number; readonly column: number };
}

/** Parses the text of a file. Never throws; faults are in `faults`. */
export function readYaml(text: string, env: Environment): YamlFile {
  const lines = new LineCounter();
  const getPosition = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refused = (offset: number, message: string): YamlFile => ({
    value: undefined,
    faults: [{ offset, field: "", message }],
    filled: [],
    getOffset: () => offset,
    placeOf: asWritten,
    getPosition,
  });
  if (text.length > MAX_LENGTH) return refused(0, `the file is longer than ${MAX_LENGTH} characters`);
  const deep = findTooDeep(text);
  if (deep !== undefined) {
    lines.lineStarts = lineStarts(text);
    return refused(deep, `expected at most ${MAX_DEPTH} levels of nesting`);
  }
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, version: "1.2", prettyErrors: false });
  const faults = [...document.errors, ...document.warnings].map((error) => ({
    offset: error.pos[0],
    field: "",
    message: formatYamlError(error, text),
  }));
  if (document.errors.length > 0)
    return { value: undefined, faults, filled: [], getOffset: () => 0, placeOf: asWritten, getPosition };
  const reader = new PlainReader(env, faults);
  const root = document.contents;
  return {
    value: root === null ? {} : reader.read(root, []),
    faults,
    filled: reader.filled,
    getOffset: (path, key) => findOffset(root, path, key),
    placeOf: asWritten,
    getPosition,
  };
}

function asWritten(path: readonly PropertyKey[]): readonly PropertyKey[] {
  return path;
}

/** Converts YAML nodes to plain data, and collects faults. */
class PlainReader {
  readonly filled: FilledScalar[] = [];
  readonly #env: Environment;
  readonly #faults: ConfigIssue[];

  constructor(env: Environment, faults: ConfigIssue[]) {
    this.#env = env;
    this.#faults = faults;
  }

  read(node: unknown, path: readonly string[]): unknown {
    if (node === null || node === undefined) return null;
    // An alias makes one position mean many fields, and nine of them make a bomb.
    if (isAlias(node)) return this.#refuse(node, path, "aliases are not supported; write the value out");
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return this.#refuse(undefined, path, "expected a value");
    if (node.tag !== undefined && !/^tag:yaml\.org,2002:(str|int|float|bool|null|seq|map)$/.test(node.tag))
      return this.#refuse(node, path, "only the YAML tags of JSON types are supported");
    if (isMap(node)) return this.#readMap(node.items, path);
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, String(index)]));
    if (typeof node.value !== "string") return node.value;
    const interpolated = interpolateEnvironment(node.value, this.#env);
    if (interpolated.type === "refused") return this.#refuse(node, path, interpolated.reason);
    const { value, pieces } = interpolated;
    if (pieces.some(({ from }) => from !== "file")) this.filled.push({ path, value, pieces });
    return value;
  }

  #readMap(items: readonly Pair[], path: readonly string[]): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const { key, value } of items) {
      const name = isScalar(key) && key.value !== null ? String(key.source ?? key.value) : undefined;
      if (name === undefined) this.#refuse(key, path, "expected a plain text key");
      else if (name === "__proto__" || name === "<<") this.#refuse(key, [...path, name], "this key is reserved");
      else result[name] = this.read(value, [...path, name]);
    }
    return result;
  }

  #refuse(node: unknown, path: readonly string[], message: string): undefined {
    this.#faults.push({ offset: getStart(node) ?? 0, field: path.join("."), message });
    return undefined;
  }
}

function findOffset(root: Node | null, path: readonly PropertyKey[], key: string | undefined): number {
  let node: unknown = root;
  let offset = getStart(root) ?? 0;
  for (const step of path) {
    const pair = isMap(node) ? findPair(node.items, String(step)) : undefined;
    node = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined;
    const found = getStart(node) ?? getStart(pair?.key);
    if (found === undefined) return offset;
    offset = found;
  }
  if (key === undefined || !isMap(node)) return offset;
  return getStart(findPair(node.items, key)?.key) ?? offset;
}

function findPair(items: readonly Pair[], name: string): Pair | undefined {
  return items.find(({ key }) => isScalar(key) && String(key.source ?? key.value) === name);
}

function getStart(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range?.[0] : undefined;
}

function formatYamlError(error: YAMLError, text: string): string {
  if (error.code === "MULTIPLE_DOCS") return "expected one document; a second one starts here";
  if (error.code !== "DUPLICATE_KEY") return error.message;
  const name = /[^\s:]*/.exec(text.slice(error.pos[0], error.pos[0] + 80))?.[0] ?? "";
  return `the key \`${name}\` stands here a second time; keep one`;
}

/** Lexer tokens that mark documents and scalars, and have no text. */
const STREAM_MARKS: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

/** Counts nesting by tokens, because the parser itself recurses and would overflow the stack first. */
function findTooDeep(text: string): number | undefined {
  let offset = 0;
  let flow = 0;
  let compact = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") flow += 1;
    else if (token === "]" || token === "}") flow -= 1;
    else if (token === "-" || token === "?" || token === ":") compact += 1;
    else if (token === "\n" || token === "\r\n") compact = 0;
    if (flow > MAX_DEPTH || (flow === 0 && compact > MAX_DEPTH)) return offset;
    if (!STREAM_MARKS.has(token)) offset += token.length;
  }
  return undefined;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
}
