// The parameters of a tool, as far as untyped arguments need to know them. Reads no arguments.
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { Spellings } from "./Spellings.ts";
import { canonical } from "./schemaRules.ts";
import type { SchemaReader } from "./schemaTypes.ts";

/** Made once for a tool, however many calls of it are read. */
export class Parameters {
  readonly reader: SchemaReader;
  readonly #schema: JsonObject;
  readonly #properties: ReadonlyMap<string, JsonValue>;
  readonly #required: readonly string[];
  readonly #spellings: Spellings;
  readonly names: readonly string[];
  #loneText: { readonly name: string | undefined } | undefined;

  constructor(tool: { readonly schema: JsonObject; readonly reader: SchemaReader }) {
    this.reader = tool.reader;
    this.#schema = tool.schema;
    const shapes = tool.reader.shapes(tool.schema);
    this.#properties = new Map(shapes.flatMap((shape) => [...shape.properties]));
    this.names = [...this.#properties.keys()];
    this.#spellings = new Spellings(this.names);
    this.#required = [...(shapes[0]?.required ?? [])].filter((key) => shapes.every((shape) => shape.required.has(key)));
  }

  schemaOf(key: string): JsonValue | undefined {
    return this.#properties.get(key);
  }

  has(key: string): boolean {
    return this.#properties.has(key);
  }

  /** Whether a member is none of the arguments but repeats a word of the schema itself: `"required": ["city"]`. */
  isEcho(key: string, strictJson: string): boolean {
    if (this.has(key) || !Object.hasOwn(this.#schema, key)) return false;
    return canonical(JSON.parse(strictJson)) === canonical(this.#schema[key] ?? null);
  }

  get needsNone(): boolean {
    return this.#required.length === 0;
  }

  /** The one parameter that a lone value can only mean: the only one, or the only required one. */
  get lone(): string | undefined {
    const [name, second] = this.#required.length > 0 ? this.#required : this.names;
    return second === undefined ? name : undefined;
  }

  /** The one that a lone text can only mean: also the only string among several. */
  get loneText(): string | undefined {
    this.#loneText ??= { name: this.#findLoneText() };
    return this.#loneText.name;
  }

  /** Whether some parameter is spelled like this, separators and case apart. */
  isLike(key: string): boolean {
    return this.#spellings.like(key, "letters").length > 0;
  }

  #findLoneText(): string | undefined {
    if (this.lone !== undefined) return this.lone;
    const candidates = this.#required.length > 0 ? this.#required : this.names;
    const [name, second] = candidates.filter((key) => this.#takesString(key));
    return second === undefined ? name : undefined;
  }

  #takesString(key: string): boolean {
    const schema = this.schemaOf(key);
    return schema !== undefined && this.reader.shapes(schema).some((shape) => shape.types?.has("string"));
  }
}
