// What the tests of tools share: a call as the parser gives it, and a context.
import type { ToolCall } from "../../src/core/messages.ts";
import type { Tool, ToolContext } from "../../src/tools/Tool.ts";

export function callOf(name: string, args: unknown): ToolCall {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { id: "call00001", name, arguments: text, origin: "native", repairs: [], raw: text };
}

export function contextOf(signal: AbortSignal = new AbortController().signal): ToolContext {
  const run = { run: "run-1", owner: "ann", agent: "a", callId: "call00001", callKey: "call00001" };
  return { ...run, maySave: true, isKept: true, interactive: true, signal };
}

export function toolOf(name: string, execute: Tool["execute"], rest: Partial<Tool> = {}): Tool {
  return { spec: { name }, execute, ...rest };
}
