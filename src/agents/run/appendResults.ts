// Appends the results of a turn's calls to the run's messages. Pure.

import type { Message, ToolCall } from "../../core/messages.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { PendingTurn, RunState, ToolResult } from "../../core/runs/RunState.ts";
import { withReading } from "../calls/readResultTool.ts";
import { buildResultContent, stripImages } from "../calls/resultImages.ts";
import { askForAnswer } from "../prompting/appendInstruction.ts";
import type { IsRepeatable } from "./detectRepeats.ts";
import { isLastTurnNext, isRepetition } from "./runLimits.ts";

interface Noticing {
  readonly keys: CallKeys;
  readonly isRepeatable: IsRepeatable;
}

/** Appends the results in the order of the calls. Adds the demand for an answer if the next turn is the last, or if the calls only repeat. */
export function appendResults(
  state: RunState,
  { settled, ...turn }: PendingTurn,
  { keys, isRepeatable }: Noticing,
): RunState {
  const { request, messages, executed } = state;
  const executedCalls = settled
    .filter((one) => one.ran)
    .map(({ call, result }) => ({ call, result: stripImages(result) }));
  const results = settled.map(({ call, result }) => toolMessage(call, result));
  const all = [...executed, ...executedCalls];
  const gatewayTools = withReading(state.gatewayTools, all);
  const after = { ...state, gatewayTools, executed: all, open: { ...turn, settled: [] } };
  const isTime =
    isLastTurnNext(after, turn) || isRepetition(after, { results, ran: executedCalls.length, keys, isRepeatable });
  return { ...after, messages: [...messages, ...(isTime ? askForAnswer(results, request.output) : results)] };
}

function toolMessage({ id, name }: ToolCall, result: ToolResult): Message {
  const { isFromGateway } = result;
  return {
    role: "tool",
    content: buildResultContent(result),
    toolCallId: id,
    name,
    ...(isFromGateway && { isFromGateway }),
  };
}
