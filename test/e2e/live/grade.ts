// What a client got for a task: right, wrong, none, or a call that leaked into the content.
import type { LiveTask, LiveTool } from "./taskForms.ts";

export type Grade = "right" | "wrong" | "invalid" | "none" | "leaked" | "failed";

export interface Message {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

/** `invalid`: a call that breaks the tool's schema, which no gateway may let through. */
export function grade(task: LiveTask, tools: readonly LiveTool[], { content, tool_calls: calls = [] }: Message): Grade {
  const [first] = calls;
  if (!first) {
    const named = tools.some((tool) => content?.includes(tool.function.name));
    return named && /[{(<]|arguments|Action/.test(content ?? "") ? "leaked" : "none";
  }
  const inputs = calls.map((call) => validInput(tools, call.function));
  const input = inputs[0];
  if (!input || inputs.includes(undefined)) return "invalid";
  return first.function.name === task.tool && task.isRight(input) ? "right" : "wrong";
}

function validInput(
  tools: readonly LiveTool[],
  call: { readonly name: string; readonly arguments: string },
): Readonly<Record<string, unknown>> | undefined {
  const parameters = tools.find((tool) => tool.function.name === call.name)?.function.parameters;
  const input = objectIn(call.arguments);
  if (!parameters || !input || parameters.required.some((name) => !(name in input))) return undefined;
  const fits = Object.entries(input).every(([name, value]) => {
    const property = parameters.properties[name];
    if (!property) return false;
    if (property.type === "integer" ? !Number.isInteger(value) : typeof value !== property.type) return false;
    return (
      (property.enum?.includes(String(value)) ?? true) &&
      (property.minimum === undefined || Number(value) >= property.minimum) &&
      (property.maximum === undefined || Number(value) <= property.maximum)
    );
  });
  return fits ? input : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
