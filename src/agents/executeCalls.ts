// Runs the gateway's calls of a turn in parallel and tells their results in the order of the calls. Knows no turn and no model.
import pLimit from "p-limit";
import type { RunEvent } from "../core/events.ts";
import type { ToolCall } from "../core/messages.ts";
import { fitCall } from "../formats/fitting/fitCall.ts";
import { readNativeCalls } from "../formats/fitting/nativeCalls.ts";
import { type ExecutionOptions, executeToolCall, type ToolResult } from "../tools/executeToolCall.ts";

export interface ExecutedCall {
  readonly call: ToolCall;
  readonly result: ToolResult;
}

/** @param options.parallel calls that run at the same time. */
export async function* executeCalls(
  calls: readonly ToolCall[],
  options: ExecutionOptions & { readonly parallel: number },
): AsyncGenerator<RunEvent, readonly ExecutedCall[], undefined> {
  for (const call of calls) yield { type: "tool-start", call };
  const limit = pLimit(options.parallel);
  const running = calls.map((call) => ({ call, settled: limit(() => execute(call, options)) }));
  const executed: ExecutedCall[] = [];
  for (const { call, settled } of running) {
    const result = await settled;
    executed.push({ call, result });
    yield { type: "tool-result", ...result };
  }
  return executed;
}

/** A client may want a call as it came; a tool of the gateway gets no arguments that its schema forbids. */
async function execute(call: ToolCall, options: ExecutionOptions): Promise<ToolResult> {
  const tool = options.registry.get(call.name);
  if (!call.unchecked || !tool) return executeToolCall(call, options);
  const [candidate, ...more] = readNativeCalls({ name: call.name, arguments: call.arguments });
  const context = { tools: [tool.spec], family: call.origin, raw: call.raw };
  const fit = candidate && more.length === 0 ? fitCall(candidate, context) : undefined;
  if (fit?.type === "call") return executeToolCall({ ...call, arguments: fit.arguments }, options);
  const reason = fit?.issue.message ?? `The call of ${call.name} could not be read.`;
  return { callId: call.id, name: call.name, content: `Error: ${reason}`, isError: true };
}
