// Reads a server's definition of a tool: bounded, and without invisible characters.

import type { McpLimits } from "../../core/config/mcpComponent.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import { sanitizeSchema } from "./sanitizeSchema.ts";

/** A tool as its server has it. */
export interface ServedDefinition {
  /** The server's own name. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** Characters of a server's own name of a tool. */
const LONGEST_NAME = 512;

/** A short reason if the definition is dropped. */
export function readDefinition(
  raw: JsonValue,
  limits: McpLimits,
  neutralise: (text: string) => string,
): ServedDefinition | { readonly fault: string } {
  const { name, title, description, inputSchema, execution } = isObject(raw) ? raw : {};
  if (typeof name !== "string" || name === "" || name.length > LONGEST_NAME) return { fault: "a tool without a name" };
  const fault = executionFault(execution) ?? schemaFault(inputSchema, limits);
  if (fault !== undefined) return { fault: `the tool ${JSON.stringify(sanitizeToolText(name, 128))}: ${fault}` };
  const [described = ""] = [description, title].filter((text) => typeof text === "string" && text.trim() !== "");
  const clean = (text: string): string => neutralise(sanitizeToolText(text, limits.descriptionChars));
  const parameters = sanitizeSchema(isObject(inputSchema) ? inputSchema : {}, clean);
  return { name, description: clean(String(described)), parameters: { ...parameters, type: "object" } };
}

/** The gateway does not support tasks of the protocol: a tool that requires them would refuse every call. */
function executionFault(execution: JsonValue | undefined): string | undefined {
  const mustBeTask = isObject(execution) && execution.taskSupport === "required";
  return mustBeTask ? "it runs only as a task of the protocol, which is not supported" : undefined;
}

function schemaFault(schema: JsonValue | undefined, { schemaBytes, schemaDepth }: McpLimits): string | undefined {
  if (schema === undefined) return undefined;
  if (!isObject(schema) || (schema.type !== undefined && schema.type !== "object"))
    return "its parameters are no JSON Schema of an object";
  if (exceedsDepth(schema, schemaDepth)) return `its parameters have more than ${schemaDepth} levels`;
  if (Buffer.byteLength(JSON.stringify(schema)) > schemaBytes)
    return `its parameters have more than ${schemaBytes} bytes`;
  return undefined;
}

function exceedsDepth(value: JsonValue, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return limit === 0 || Object.values(value).some((item) => exceedsDepth(item, limit - 1));
}
