// Runs the gateway's calls of a turn in parallel and tells their results in the order of the calls. Knows no turn and no model.
import pLimit from "p-limit";
import type { RunEvent } from "../core/events.ts";
import type { ToolCall } from "../core/messages.ts";
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
  const running = calls.map((call) => ({ call, settled: limit(() => executeToolCall(call, options)) }));
  const executed: ExecutedCall[] = [];
  for (const { call, settled } of running) {
    const result = await settled;
    executed.push({ call, result });
    yield { type: "tool-result", ...result };
  }
  return executed;
}
