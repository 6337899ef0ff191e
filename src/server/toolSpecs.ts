// The wire form of tools → ToolSpecs, or a caller failure that names the tool. Knows no HTTP and no agent.
import { z } from "zod";
import { failure, PostelError } from "../core/failures.ts";
import { foreignFunctionFields } from "../core/foreignFields.ts";
import type { JsonObject, ToolSpec } from "../core/messages.ts";
import { checkToolSchema } from "./checkToolSchema.ts";

export const functionToolShape = z.looseObject({
  type: z.literal("function", { error: 'must be "function": Postel knows no other kind of tool' }),
  function: z.looseObject({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
});

export type FunctionTool = z.infer<typeof functionToolShape>;

/** Letters, digits and `_-.:/`, 1–128 of them (design §9); a path step up is no name. */
const TOOL_NAME = /^(?!.*\.\.)[\w.:/-]{1,128}$/;

/** @throws PostelError `invalid_request` with `param` for a bad name, a name given twice or a schema out of bounds. */
export function readToolSpecs(tools: readonly FunctionTool[], maxTools: number): readonly ToolSpec[] {
  if (tools.length > maxTools) refuse("tools", `\`tools\` has ${tools.length} entries; at most ${maxTools} are taken.`);
  const names = new Set<string>();
  return tools.map((tool, index) => {
    const spec = readToolSpec(tool, `tools[${index}].function`);
    if (names.has(spec.name)) refuse(`tools[${index}].function.name`, `Two tools are named \`${spec.name}\`.`);
    names.add(spec.name);
    return spec;
  });
}

function readToolSpec(tool: FunctionTool, path: string): ToolSpec {
  const { name, description, strict } = tool.function;
  if (!TOOL_NAME.test(name)) {
    refuse(`${path}.name`, "A tool's name must be 1–128 letters, digits or `_`, `-`, `.`, `:`, `/`, without `..`.");
  }
  // The body was parsed from JSON text, so a record of it can hold nothing else.
  const parameters = (tool.function.parameters ?? undefined) as JsonObject | undefined;
  const fault = parameters && checkToolSchema(parameters);
  if (fault) refuse(`${path}.parameters`, `The JSON Schema of tool \`${name}\` is refused: ${fault}.`);
  const extra = foreignFunctionFields(tool as unknown as JsonObject);
  return {
    name,
    description: description ?? undefined,
    parameters,
    strict: strict ?? undefined,
    ...(extra && { extra }),
  };
}

function refuse(param: string, message: string): never {
  throw new PostelError(failure("invalid_request", message, { param }));
}
