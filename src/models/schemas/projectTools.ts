// Projects the tool schemas of a body to a dialect.
import { isDeepStrictEqual } from "node:util";
import { memoize } from "../../core/async/memoize.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { asArray, asObject } from "../looseJson.ts";
import { SchemaProjection } from "./SchemaProjection.ts";
import type { SchemaDialect } from "./schemaDialects.ts";

const known = new WeakMap<SchemaDialect, WeakMap<JsonObject, JsonObject>>();

/** Returns the same object if the dialect takes all of its tools. A `strict` tool stays unchanged: another schema would be another guarantee. */
export function projectTools(body: JsonObject, dialect: SchemaDialect): JsonObject {
  const tools = asArray(body.tools);
  const projected = tools.map((tool) => projectedTool(tool, dialect));
  return projected.every((tool, at) => tool === tools[at]) ? body : { ...body, tools: projected };
}

/** Returns the same object for the same tool, so that its serialised text can be cached. */
function projectedTool(value: JsonValue, dialect: SchemaDialect): JsonValue {
  const tool = asObject(value);
  if (!tool) return value;
  return memoize(
    memoize(known, dialect, () => new WeakMap()),
    tool,
    () => project(tool, dialect),
  );
}

function project(tool: JsonObject, dialect: SchemaDialect): JsonObject {
  const declared = asObject(tool.function);
  const schema = asObject(declared?.parameters);
  if (!schema || declared?.strict === true) return tool;
  const parameters = new SchemaProjection(schema, dialect).read();
  return isDeepStrictEqual(parameters, schema) ? tool : { ...tool, function: { ...declared, parameters } };
}
