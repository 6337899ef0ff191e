// Reads the tools of a request as ToolSpecs, or throws a caller failure that names the tool.
import { z } from "zod";
import type { LimitsConfig } from "../../../core/config/configuration.ts";
import { extractFunctionFields } from "../../../core/events/providerFields.ts";
import { refuseField } from "../../../core/failures.ts";
import type { JsonObject, ToolSpec } from "../../../core/messages.ts";
import { NO_TOOLS } from "../../../core/messages.ts";
import { isToolName, TOOL_NAME_RULE } from "../../../core/tools/toolName.ts";
import { anyObject } from "../../validation/checkShape.ts";
import { checkToolSchema, type SchemaBudget } from "../../validation/checkToolSchema.ts";
import { customToolShape, toCustomToolSpec } from "./customTools.ts";
import { type CallSpelling, createCallSpelling, FUNCTIONS } from "./encodeCalls.ts";

/** Shape of an entry of `functions`, and of the `function` member of a tool. */
export const functionShape = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  parameters: anyObject.nullish(),
  strict: z.boolean().nullish(),
});

/** One entry of `tools`. */
export const toolShape = z.discriminatedUnion(
  "type",
  [z.looseObject({ type: z.literal("function"), function: functionShape }), customToolShape],
  { error: 'must be "function" or "custom": Postel knows no other kind of tool' },
);

export type WireTool = z.infer<typeof toolShape>;

export type ToolLimits = Pick<LimitsConfig, "maxTools" | "descriptionChars">;

/** Body field that contains the tools; failures use it to name one. */
type ToolField = "tools" | "functions";

/**
 * @param budget steps for all schemas of the request; this function deducts what it uses. @throws PostelError
 * `invalid_request` with `param` for a bad name, a duplicate name, and a description or schema out of bounds.
 */
export function readToolSpecs(
  tools: readonly WireTool[],
  limits: ToolLimits,
  budget: SchemaBudget,
  field: ToolField = "tools",
): readonly ToolSpec[] {
  refuseManyTools(tools, limits.maxTools, field);
  const names = new Set<string>();
  return tools.map((tool, index) => {
    const path = field === "tools" ? `tools[${index}].${tool.type}` : `functions[${index}]`;
    checkDescription(tool, path, limits.descriptionChars);
    const spec = tool.type === "custom" ? toCustomToolSpec(tool) : specOfFunction(tool);
    refuseSpec(spec, path, budget);
    if (names.has(spec.name)) refuseField(`${path}.name`, `Two tools are named \`${spec.name}\`.`);
    names.add(spec.name);
    return spec;
  });
}

/** The tools of a request, read. */
export interface OfferedTools {
  readonly specs: readonly ToolSpec[];
  /** The spelling of the calls in the answer. */
  readonly calls: CallSpelling;
}

const NOTHING_OFFERED: OfferedTools = { specs: NO_TOOLS, calls: FUNCTIONS };

/** A list that was read, with its limits and the number of budget steps that it took. */
interface KnownSpecs extends OfferedTools {
  readonly limits: ToolLimits;
  readonly steps: number;
}

/** Cache by list: the tool list cache gives the same list object for a repeated list. */
const known = new WeakMap<readonly WireTool[], KnownSpecs>();

/**
 * Same as `readToolSpecs`. A list that was read before gives the same specs object, so that prepared schemas are reused. It
 * takes the same steps from the budget.
 */
export function readKnownTools(tools: readonly WireTool[], limits: ToolLimits, budget: SchemaBudget): OfferedTools {
  if (tools.length === 0) return NOTHING_OFFERED;
  const before = known.get(tools);
  if (before && before.limits === limits && before.steps <= budget.remaining) {
    budget.remaining -= before.steps;
    return before;
  }
  const { remaining: left } = budget;
  const specs = readToolSpecs(tools, limits, budget);
  const custom = tools.flatMap((tool) => (tool.type === "custom" ? [tool.custom.name] : []));
  const parsedSpecs = { specs, calls: createCallSpelling(custom), limits, steps: left - budget.remaining };
  known.set(tools, parsedSpecs);
  return parsedSpecs;
}

/** Checks the length of the list before anything examines its entries. */
export function refuseManyTools(tools: readonly unknown[], maxTools: number, field: ToolField = "tools"): void {
  if (tools.length <= maxTools) return;
  refuseField(field, `\`${field}\` has ${tools.length} entries; at most ${maxTools} are taken (\`limits.max_tools\`).`);
}

function getInnerTool(tool: WireTool): { readonly name: string; readonly description?: string | null | undefined } {
  return tool.type === "custom" ? tool.custom : tool.function;
}

function checkDescription(tool: WireTool, path: string, maxChars: number): void {
  const { length } = getInnerTool(tool).description ?? "";
  if (length <= maxChars) return;
  const message = `A tool's description has ${length} characters; at most ${maxChars} are taken (\`limits.description_chars\`).`;
  refuseField(`${path}.description`, message);
}

function specOfFunction(tool: Extract<WireTool, { type: "function" }>): ToolSpec {
  const { name, description, parameters, strict } = tool.function;
  const extra = extractFunctionFields(tool as unknown as JsonObject);
  return {
    name,
    description: description ?? undefined,
    parameters: parameters ?? undefined,
    strict: strict ?? undefined,
    ...(extra && { extra }),
  };
}

function refuseSpec({ name, parameters }: ToolSpec, path: string, budget: SchemaBudget): void {
  if (!isToolName(name)) refuseField(`${path}.name`, TOOL_NAME_RULE);
  const fault = parameters && checkToolSchema(parameters, budget);
  const at = path.endsWith("custom") ? `${path}.format` : `${path}.parameters`;
  if (fault) refuseField(at, `The JSON Schema of tool \`${name}\` is refused: ${fault}.`);
}
