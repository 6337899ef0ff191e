// What an answer probably cost, where its upstream does not say. Counts characters; knows no tokenizer.
import type { ModelEvent, Usage } from "../core/events.ts";
import { jsonInTurns } from "../core/jsonInTurns.ts";
import { type JsonValue, textOf } from "../core/messages.ts";
import type { ModelRequest } from "./ModelClient.ts";

/** English and code come to about four characters a token in current vocabularies; other scripts to fewer. */
const CHARS_A_TOKEN = 4;

/** The same events; an end without usage gets an estimate, and says so. */
export async function* estimateUsage(
  events: AsyncIterable<ModelEvent>,
  request: ModelRequest,
): AsyncGenerator<ModelEvent, void, undefined> {
  let said = 0;
  for await (const event of events) {
    switch (event.type) {
      case "text":
      case "reasoning":
        said += event.text.length;
        break;
      case "call-fragment":
        said += (event.name?.length ?? 0) + (event.arguments?.length ?? 0);
        break;
      case "end":
        yield event.usage ? event : { ...event, usage: await estimateOf(request, said), usageEstimated: true };
        continue;
      case "opened":
      case "failed":
        break;
      default:
        event satisfies never;
    }
    yield event;
  }
}

async function estimateOf(request: ModelRequest, said: number): Promise<Usage> {
  const promptTokens = tokens(await promptChars(request));
  const completionTokens = tokens(said);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

async function promptChars({ messages, tools }: ModelRequest): Promise<number> {
  const lengths = messages.map(
    ({ content, toolCalls = [] }) =>
      textOf(content).length + toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0),
  );
  const offered = tools.length > 0 ? (await jsonInTurns(tools as unknown as JsonValue)).length : 0;
  return lengths.reduce((sum, length) => sum + length, offered);
}

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_A_TOKEN);
}
