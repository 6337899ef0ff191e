// The wire form of tools → ToolSpecs, or a caller failure that names the tool. Knows no HTTP and no agent.
import { z } from "zod";
import type { LimitsConfig } from "../../../core/configuration.ts";
import { failure, PostelError } from "../../../core/failures.ts";
import { foreignFunctionFields } from "../../../core/foreignFields.ts";
import type { JsonObject, JsonValue, ToolSpec } from "../../../core/messages.ts";
import type { Caller } from "../../../core/requests.ts";
import { isToolName, TOOL_NAME_RULE } from "../../../core/toolName.ts";
import { anyObject } from "../../checkShape.ts";
import { checkToolSchema, type SchemaBudget } from "../../checkToolSchema.ts";
import type { KnownTools } from "../../KnownTools.ts";

export const functionToolShape = z.looseObject({
  type: z.literal("function", { error: 'must be "function": Postel knows no other kind of tool' }),
  function: z.looseObject({
    name: z.string(),
    description: z.string().nullish(),
    parameters: anyObject.nullish(),
    strict: z.boolean().nullish(),
  }),
});

export type FunctionTool = z.infer<typeof functionToolShape>;

export type ToolLimits = Pick<LimitsConfig, "maxTools" | "descriptionChars">;

interface ToolContext {
  readonly caller: Caller;
  readonly limits: ToolLimits;
  /** Of lists that were read at these limits. Absent: each is read anew. */
  readonly knownTools?: KnownTools | undefined;
}

/**
 * @param budget steps for the schemas of the whole request; what these take is gone.
 * @throws PostelError `invalid_request` with `param` for a bad name, a name given twice, and a description or schema out of bounds.
 */
export function readToolSpecs(
  tools: readonly FunctionTool[],
  limits: ToolLimits,
  budget: SchemaBudget,
): readonly ToolSpec[] {
  refuseManyTools(tools, limits.maxTools);
  const names = new Set<string>();
  return tools.map((tool, index) => {
    const path = `tools[${index}].function`;
    refuseLongDescription(tool, path, limits.descriptionChars);
    const spec = readToolSpec(tool, path, budget);
    if (names.has(spec.name)) refuse(`tools[${index}].function.name`, `Two tools are named \`${spec.name}\`.`);
    names.add(spec.name);
    return spec;
  });
}

const NO_TOOLS: readonly ToolSpec[] = [];

/** As `readToolSpecs`; a list that its caller sent before is given as it was read then. */
export function readKnownTools(
  tools: readonly FunctionTool[],
  { caller, limits, knownTools }: ToolContext,
  budget: SchemaBudget,
): readonly ToolSpec[] {
  if (tools.length === 0) return NO_TOOLS;
  const read = () => readToolSpecs(tools, limits, budget);
  if (!knownTools) return read();
  const key = [caller.name, ...tools.map((tool) => tool.function.name)].join("\n");
  // It was parsed from JSON text.
  return knownTools.specs({ key, sent: tools as unknown as JsonValue, budget, read });
}

/** By its length alone, before anything looks at the entries. */
export function refuseManyTools(tools: readonly unknown[], maxTools: number): void {
  if (tools.length <= maxTools) return;
  refuse("tools", `\`tools\` has ${tools.length} entries; at most ${maxTools} are taken (\`limits.max_tools\`).`);
}

function refuseLongDescription(tool: FunctionTool, path: string, maxChars: number): void {
  const { length } = tool.function.description ?? "";
  if (length <= maxChars) return;
  const message = `A tool's description has ${length} characters; at most ${maxChars} are taken (\`limits.description_chars\`).`;
  refuse(`${path}.description`, message);
}

function readToolSpec(tool: FunctionTool, path: string, budget: SchemaBudget): ToolSpec {
  const { name, description, strict } = tool.function;
  if (!isToolName(name)) refuse(`${path}.name`, TOOL_NAME_RULE);
  const parameters = tool.function.parameters ?? undefined;
  const fault = parameters && checkToolSchema(parameters, budget);
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
