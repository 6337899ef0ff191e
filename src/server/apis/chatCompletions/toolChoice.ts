// Reads `tool_choice` and the legacy `function_call`, or throws a caller failure that names the field.
import { z } from "zod";
import { createFailure, PostelError } from "../../../core/failures.ts";
import type { ToolChoice, ToolSpec } from "../../../core/messages.ts";
import { listField } from "../../validation/checkShape.ts";

const named = z.looseObject({ name: z.string() });
const aFunction = z.looseObject({ type: z.literal("function"), function: named });
const aCustomTool = z.looseObject({ type: z.literal("custom"), custom: named });
const aTool = z.discriminatedUnion("type", [aFunction, aCustomTool], {
  error: 'must be {"type": "function", "function": {"name": …}} or {"type": "custom", "custom": {"name": …}}',
});

export const toolChoiceShape = z
  .union(
    [
      z.enum(["auto", "none", "required"]),
      aFunction,
      aCustomTool,
      z.looseObject({
        type: z.literal("allowed_tools"),
        allowed_tools: z.looseObject({ mode: z.enum(["auto", "required"]), tools: listField(aTool) }),
      }),
    ],
    {
      error:
        'must be "auto", "none", "required", {"type": "function", "function": {"name": …}}, {"type": "custom", "custom": {"name": …}} or {"type": "allowed_tools", "allowed_tools": {"mode": "auto" or "required", "tools": […]}}',
    },
  )
  .nullish();

export const functionCallShape = z
  .union([z.enum(["auto", "none"]), named], { error: 'must be "auto", "none" or {"name": …}' })
  .nullish();

export interface ToolDemand {
  readonly toolChoice: ToolChoice;
  /** The only tools that may be called; absent: all that are offered. */
  readonly allowedTools?: readonly string[] | undefined;
}

interface Offered {
  readonly tools: readonly ToolSpec[];
  /** True if the gateway adds its own tools, which a choice may also name. */
  readonly gatewayTools: boolean;
}

const AUTO: ToolDemand = { toolChoice: { type: "auto" } };

/** @throws PostelError `invalid_request` for a choice that cannot be met. */
export function readToolChoice(choice: z.infer<typeof toolChoiceShape>, offered: Offered): ToolDemand {
  if (choice === undefined || choice === null || choice === "auto") return AUTO;
  if (choice === "none") return { toolChoice: { type: "none" } };
  if (choice === "required") return { toolChoice: required(offered) };
  switch (choice.type) {
    case "function":
      return { toolChoice: { type: "tool", name: offeredName(choice.function.name, offered) } };
    case "custom":
      return { toolChoice: { type: "tool", name: offeredName(choice.custom.name, offered) } };
    case "allowed_tools":
      return allowed(choice.allowed_tools, offered);
    default:
      return choice satisfies never;
  }
}

/** @throws PostelError `invalid_request` for a function that is not offered. */
export function readFunctionCall(call: z.infer<typeof functionCallShape>, offered: Offered): ToolChoice {
  if (call === undefined || call === null || call === "auto") return { type: "auto" };
  if (call === "none") return { type: "none" };
  return { type: "tool", name: offeredName(call.name, offered, "function_call", "functions") };
}

function allowed(
  { mode, tools }: { readonly mode: "auto" | "required"; readonly tools: readonly z.infer<typeof aTool>[] },
  offered: Offered,
): ToolDemand {
  const names = tools.map((tool) => (tool.type === "function" ? tool.function.name : tool.custom.name));
  for (const name of names) offeredName(name, offered);
  if (mode === "required" && names.length === 0)
    throwInvalid("tool_choice", "`tool_choice` demands a call and allows no tool.");
  return { toolChoice: mode === "required" ? required(offered) : { type: "auto" }, allowedTools: [...new Set(names)] };
}

function required({ tools, gatewayTools }: Offered): ToolChoice {
  if (tools.length === 0 && !gatewayTools)
    throwInvalid("tool_choice", '`tool_choice` is "required" but no `tools` are given.');
  return { type: "required" };
}

function offeredName(name: string, { tools, gatewayTools }: Offered, param = "tool_choice", list = "tools"): string {
  if (gatewayTools || tools.some((tool) => tool.name === name)) return name;
  return throwInvalid(param, `\`${param}\` names \`${name.slice(0, 128)}\`, which is not among the \`${list}\`.`);
}

function throwInvalid(param: string, message: string): never {
  throw new PostelError(createFailure("invalid_request", message, { param }));
}
