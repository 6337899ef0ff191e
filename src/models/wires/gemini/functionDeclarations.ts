// Converts the tools and `tool_choice` of a chat body to Gemini's function declarations.
import type { FunctionCallingConfigMode, FunctionDeclaration } from "@google/genai";
import { memoize } from "../../../core/async/memoize.ts";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asObject, asObjects, asString } from "../../looseJson.ts";
import { toGeminiSchema } from "./geminiSchema.ts";
import { createUnsupportedError } from "./unsupported.ts";

/** By the tool as the chat body has it, which is the same object for the same tool. */
const declarations = new WeakMap<JsonObject, JsonObject>();

/**
 * Returns `tools` and `toolConfig`; empty if no tools are offered.
 * @throws PostelError `unsupported_parameter` for a tool that is no function, and for a choice that Gemini cannot express.
 */
export function buildFunctionFields({ tools, tool_choice: choice }: JsonObject): JsonObject {
  const offered = asObjects(tools);
  if (offered.length === 0) return {};
  const functionDeclarations = offered.map((tool) => memoize(declarations, tool, declare));
  const config = callingConfig(choice);
  return {
    tools: [{ functionDeclarations }],
    ...(config && { toolConfig: { functionCallingConfig: config } }),
  };
}

function declare(tool: JsonObject): JsonObject {
  const described = asObject(tool.function);
  if (tool.type !== "function" || !described) {
    throw createUnsupportedError(
      "tools",
      `takes functions as tools, and none of the type ${JSON.stringify(tool.type)}`,
    );
  }
  const description = asString(described.description);
  const parameters = asObject(described.parameters);
  const declaration = {
    name: getFunctionName(tool),
    ...(description !== undefined && { description }),
    // A function without parameters leaves them unset; an object without members is refused.
    ...(parameters && hasArguments(parameters) && { parametersJsonSchema: toGeminiSchema(parameters) }),
  };
  return declaration satisfies FunctionDeclaration;
}

function hasArguments(schema: JsonObject): boolean {
  const { type: _type, properties, required: _required, additionalProperties, $schema: _schema, ...rest } = schema;
  const hasMembers = Object.keys(asObject(properties) ?? {}).length > 0;
  return hasMembers || Object.keys(rest).length > 0 || (additionalProperties ?? false) !== false;
}

type Mode = `${FunctionCallingConfigMode}`;

interface CallingConfig {
  readonly [field: string]: JsonValue;
  readonly mode: Mode;
}

/** Returns undefined if the model may choose, which is the default. */
function callingConfig(choice: JsonValue | undefined): CallingConfig | undefined {
  if (choice === undefined || choice === null || choice === "auto") return undefined;
  if (choice === "none") return { mode: "NONE" };
  if (choice === "required") return { mode: "ANY" };
  const chosen = asObject(choice);
  if (chosen?.type === "function") return { mode: "ANY", allowedFunctionNames: [getFunctionName(chosen)] };
  const allowed = asObject(chosen?.allowed_tools);
  if (chosen?.type === "allowed_tools" && allowed) {
    const allowedFunctionNames = asObjects(allowed.tools).map((tool) => getFunctionName(tool));
    return { mode: allowed.mode === "required" ? "ANY" : "VALIDATED", allowedFunctionNames };
  }
  throw createUnsupportedError(
    "tool_choice",
    `has no word for this \`tool_choice\`: ${JSON.stringify(choice).slice(0, 200)}`,
  );
}

/** Returns the name of a tool, a call or a choice of the chat wire; empty if it has none. */
export function getFunctionName({ function: called }: JsonObject): string {
  return asString(asObject(called)?.name) ?? "";
}
