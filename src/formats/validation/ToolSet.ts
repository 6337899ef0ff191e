// Prepares a list of tools for many calls: their names, and for each called tool its schema and the types of its parameters.

import { memoize } from "../../core/async/memoize.ts";
import type { JsonType } from "../../core/json/jsonTypes.ts";
import { isObject, type JsonValue, type ToolSpec } from "../../core/messages.ts";
import type { StopTable } from "../scanner/Source.ts";
import { CompiledSchema } from "./CompiledSchema.ts";
import { compileNameStarts, OfferedNames, Spellings } from "./resolveToolName.ts";
import { canonicalizeText } from "./schemaAlternatives.ts";

export class ToolSet {
  readonly names: OfferedNames;
  readonly toolNames: readonly string[];
  /** The first characters that a name may be written with, a namespace aside. */
  readonly nameStarts: StopTable;
  readonly #specs: ReadonlyMap<string, ToolSpec>;
  readonly #tools = new Map<string, PreparedTool>();

  constructor(tools: readonly ToolSpec[]) {
    this.toolNames = tools.map(({ name }) => name);
    this.names = new OfferedNames(this.toolNames);
    this.nameStarts = compileNameStarts(this.toolNames);
    this.#specs = new Map(tools.map((tool) => [tool.name, tool]));
  }

  tool(name: string): PreparedTool | undefined {
    const spec = this.#specs.get(name);
    return spec && memoize(this.#tools, name, () => new PreparedTool(spec));
  }

  /** Returns the parameters that a tool declares; none if there is no such tool. */
  declared(name: string): readonly string[] {
    const spec = this.#specs.get(name);
    return spec ? listPropertyNames(spec) : [];
  }
}

/** Keyed by the list itself, which is immutable: forgotten with the request that brought it. */
const offers = new WeakMap<readonly ToolSpec[], ToolSet>();

export function compileToolSet(tools: readonly ToolSpec[]): ToolSet {
  return memoize(offers, tools, () => new ToolSet(tools));
}

/** Made once for a tool, however many calls of it are read. */
export class PreparedTool {
  readonly strict: boolean;
  /** See `ToolSpec.unchecked`. */
  readonly unchecked: boolean;
  readonly schema: CompiledSchema;
  readonly parameters: readonly string[];
  readonly #properties: ReadonlyMap<string, JsonValue>;
  readonly #required: readonly string[];
  #spellings: Spellings | undefined;
  #loneText: { readonly name: string | undefined } | undefined;

  constructor(tool: ToolSpec) {
    this.strict = tool.strict === true;
    this.unchecked = tool.unchecked === true;
    this.schema = new CompiledSchema(tool.parameters ?? {});
    const shapes = this.schema.getShapes(this.schema.root);
    this.#properties = new Map(shapes.flatMap((shape) => [...shape.properties]));
    this.parameters = [...this.#properties.keys()];
    this.#required = [...(shapes[0]?.required ?? [])].filter((key) => shapes.every((shape) => shape.required.has(key)));
  }

  schemaOf(key: string): JsonValue | undefined {
    return this.#properties.get(key);
  }

  has(key: string): boolean {
    return this.#properties.has(key);
  }

  /** The types that the schema gives one of its parameters; empty if it names none. */
  typesOf(key: string): ReadonlySet<JsonType> {
    const schemas = this.schema.getShapes(this.schema.root).flatMap((shape) => shape.properties.get(key) ?? []);
    return new Set(schemas.flatMap((one) => this.schema.getShapes(one)).flatMap((shape) => [...(shape.types ?? [])]));
  }

  /** Returns true if an object with these keys could be the arguments as it stands. */
  takesAll(keys: readonly string[]): boolean {
    return this.schema.getShapes(this.schema.root).some(({ properties }) => keys.every((key) => properties.has(key)));
  }

  /** Returns true if a member is no argument but repeats a keyword of the schema itself: `"required": ["city"]`. */
  isEcho(key: string, strictJson: string): boolean {
    const { root } = this.schema;
    if (this.has(key) || !Object.hasOwn(root, key)) return false;
    return canonicalizeText(strictJson) === canonicalizeText(JSON.stringify(root[key]));
  }

  get needsNone(): boolean {
    return this.#required.length === 0;
  }

  /** The one parameter that a lone value can only mean: the only one, or the only required one. */
  get lone(): string | undefined {
    const [name, second] = this.needsNone ? this.parameters : this.#required;
    return second === undefined ? name : undefined;
  }

  /** The one that a lone text can only mean: also the only string among several. */
  get loneText(): string | undefined {
    this.#loneText ??= { name: this.lone ?? this.#onlyText() };
    return this.#loneText.name;
  }

  #onlyText(): string | undefined {
    const candidates = this.needsNone ? this.parameters : this.#required;
    const [name, second] = candidates.filter((key) => this.takes(key, "string"));
    return second === undefined ? name : undefined;
  }

  /** Returns true if the schema names the type for the parameter. */
  takes(key: string, type: JsonType): boolean {
    const schema = this.schemaOf(key);
    return schema !== undefined && this.schema.getShapes(schema).some((shape) => shape.types?.has(type));
  }

  /** Returns true if a parameter has this spelling, apart from separators and case. */
  isLike(key: string): boolean {
    this.#spellings ??= new Spellings(this.parameters);
    return this.#spellings.findSimilar(key, "letters").length > 0;
  }
}

/** The parameters that a tool declares. */
export function listPropertyNames(tool: ToolSpec): readonly string[] {
  const properties = tool.parameters?.properties;
  return isObject(properties) ? Object.keys(properties) : [];
}
