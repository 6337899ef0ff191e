// The state of a run whose last turn's calls have all their results: they go up together. Pure; runs nothing.
import type { CallKeys } from "../core/CallKeys.ts";
import type { Message, ToolCall } from "../core/messages.ts";
import type { OpenTurn, RunState, ToolResult } from "../core/run.ts";
import { askForAnswer } from "./answerNow.ts";
import { withReading } from "./readResult.ts";
import type { IsRepeatable } from "./repeatedCalls.ts";
import { contentOf, withoutImages } from "./resultImages.ts";
import { bringsNothingNew, isLastTurnNext } from "./runLimits.ts";

interface Noticing {
  readonly keys: CallKeys;
  readonly isRepeatable: IsRepeatable;
}

/** In the order of the calls; with them the model is told to answer where it is time for that. */
export function withResults(
  state: RunState,
  { settled, ...turn }: OpenTurn,
  { keys, isRepeatable }: Noticing,
): RunState {
  const { request, messages, executed } = state;
  const ran = settled.filter((one) => one.ran).map(({ call, result }) => ({ call, result: withoutImages(result) }));
  const results = settled.map(({ call, result }) => toolMessage(call, result));
  const all = [...executed, ...ran];
  const gatewayTools = withReading(state.gatewayTools, all);
  const after = { ...state, gatewayTools, executed: all, open: { ...turn, settled: [] } };
  const isTime =
    isLastTurnNext(after, turn) || bringsNothingNew(after, { results, ran: ran.length, keys, isRepeatable });
  return { ...after, messages: [...messages, ...(isTime ? askForAnswer(results, request.output) : results)] };
}

function toolMessage({ id, name }: ToolCall, result: ToolResult): Message {
  const { isFromGateway } = result;
  return { role: "tool", content: contentOf(result), toolCallId: id, name, ...(isFromGateway && { isFromGateway }) };
}
