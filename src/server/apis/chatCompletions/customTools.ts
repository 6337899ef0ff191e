// Custom (free-form) tools of the wire as functions of one text, and back. Knows no request around them and checks no grammar itself.
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

/** The one parameter of the function that stands for a custom tool. */
const INPUT = "input";

/** The tool as a function, without its check: a regular expression is a `pattern` of its schema; a grammar that is no such rule is said in words alone. */
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

/** The input in the arguments of a call. Of a call that passes as it came it may be none: then it is all that the model wrote. */
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
