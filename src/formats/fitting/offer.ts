// A list of tools made ready for many calls: their names, and their schemas with a reader each. Sees no call.
import type { ToolSpec } from "../../core/messages.ts";
import { Parameters } from "./Parameters.ts";
import { OfferedNames } from "./resolveName.ts";
import { SchemaCheck } from "./SchemaCheck.ts";
import { type JsonType, SchemaReader } from "./schemaTypes.ts";

export interface PreparedTool {
  readonly strict: boolean;
  readonly schema: NonNullable<ToolSpec["parameters"]>;
  readonly reader: SchemaReader;
  readonly check: SchemaCheck;
  readonly parameters: Parameters;
}

export interface Offer {
  readonly names: OfferedNames;
  readonly tools: ReadonlyMap<string, PreparedTool>;
}

/** Keyed by the list itself, which is immutable: forgotten with the request that brought it. */
const offers = new WeakMap<readonly ToolSpec[], Offer>();

export function offerOf(tools: readonly ToolSpec[]): Offer {
  const known = offers.get(tools);
  if (known) return known;
  const prepared = new Map(tools.map((tool) => [tool.name, prepareTool(tool)]));
  const offer = { names: new OfferedNames(prepared.keys()), tools: prepared };
  offers.set(tools, offer);
  return offer;
}

/** The types that a tool's schema gives one of its parameters; empty where it names none. */
export function typesOfParameter(tool: PreparedTool, key: string): ReadonlySet<JsonType> {
  const { reader, schema } = tool;
  const schemas = reader.shapes(schema).flatMap((shape) => shape.properties.get(key) ?? []);
  return new Set(schemas.flatMap((one) => reader.shapes(one)).flatMap((shape) => [...(shape.types ?? [])]));
}

function prepareTool(tool: ToolSpec): PreparedTool {
  const schema = tool.parameters ?? {};
  const reader = new SchemaReader(schema);
  return {
    schema,
    reader,
    check: new SchemaCheck(schema),
    parameters: new Parameters({ schema, reader }),
    strict: tool.strict === true,
  };
}

/** The parameters that a tool declares. */
export function propertyNames(tool: ToolSpec): readonly string[] {
  const properties = tool.parameters?.properties;
  return typeof properties === "object" && properties !== null && !Array.isArray(properties)
    ? Object.keys(properties)
    : [];
}
