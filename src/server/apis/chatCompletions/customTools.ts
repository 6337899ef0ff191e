// Converts custom (free-form) tools to functions with one text argument, and their calls back.
import { z } from "zod";
import { extractProviderFields, stripGatewayMembers } from "../../../core/events/providerFields.ts";
import { isObject, type JsonObject, type JsonValue, type ToolSpec } from "../../../core/messages.ts";

export const customToolShape = z.looseObject({
  type: z.literal("custom"),
  custom: z.looseObject({
    name: z.string(),
    description: z.string().nullish(),
    format: z
      .discriminatedUnion(
        "type",
        [
          z.looseObject({ type: z.literal("text") }),
          z.looseObject({
            type: z.literal("grammar"),
            grammar: z.looseObject({
              syntax: z.enum(["lark", "regex"], { error: 'must be "lark" or "regex"' }),
              definition: z.string().min(1),
            }),
          }),
        ],
        { error: 'must have a `type` of "text" or "grammar"' },
      )
      .nullish(),
  }),
});

type CustomTool = z.infer<typeof customToolShape>;
type Format = CustomTool["custom"]["format"];

/** Name of the one parameter of the function that represents a custom tool. */
const INPUT = "input";

/**
 * The tool as a function. A regular expression becomes a `pattern` of the schema; any other grammar is only described in
 * text.
 */
export function toCustomToolSpec({ custom, ...outer }: CustomTool): ToolSpec {
  const { name, description, format } = custom;
  const schema: JsonObject = { type: "string", ...inputRules(format) };
  const extra = stripGatewayMembers(extractProviderFields(outer as unknown as JsonObject, new Set(["type"])));
  return {
    name,
    description: description ?? undefined,
    parameters: {
      type: "object",
      properties: { [INPUT]: schema },
      required: [INPUT],
      additionalProperties: false,
    },
    ...(isUnchecked(format) && { unchecked: true }),
    ...(extra && { extra }),
  };
}

function inputRules(format: Format): JsonObject {
  if (format?.type !== "grammar") return { description: "The whole input, as it is to reach the tool." };
  const { syntax, definition } = format.grammar;
  if (syntax === "lark")
    return {
      description: `The whole input, as it is to reach the tool. It must be a text of this Lark grammar:\n${definition}`,
    };
  return {
    description: `The whole input, as it is to reach the tool. From its first character to its last it must match the regular expression ${definition}`,
    pattern: `^(?:${definition})$`,
  };
}

function isUnchecked(format: Format): boolean {
  return format?.type === "grammar" && format.grammar.syntax === "lark";
}

/** The arguments of the function for an input of the history. */
export function wrapCustomInput(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

/**
 * The input in the arguments of a call. Unchecked calls may have no such member; then the input is the whole text that the
 * model wrote.
 */
export function unwrapCustomInput(text: string): string {
  const input = parseInputMember(text);
  return typeof input === "string" ? input : text;
}

function parseInputMember(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value[INPUT] : undefined;
  } catch {
    return undefined;
  }
}
