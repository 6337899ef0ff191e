// Asks a model through the upstream's own `tools` field, and still reads its text for calls that leaked. Knows no prompt format.
import type { OnInvalid } from "../core/requests.ts";
import type { ModelRequest } from "../models/ModelClient.ts";
import type { Agent, AgentOptions, AttemptEvent, Conversation } from "./Agent.ts";
import { callIdsIn } from "./callIdsIn.ts";
import { instructOutput } from "./instructOutput.ts";
import { readAttempt } from "./readAttempt.ts";
import { reasoningOpened } from "./reasoningOpened.ts";

export class ToolCallingAgent implements Agent {
  readonly toolMode = "native";
  readonly row: string;
  readonly onInvalid: OnInvalid;
  readonly untouched: boolean;
  readonly #options: AgentOptions;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.row = options.capabilities.row;
    this.onInvalid = options.capabilities.onInvalid;
    this.untouched = options.capabilities.parse === "off";
  }

  attempt(conversation: Conversation, signal: AbortSignal): AsyncIterable<AttemptEvent> {
    const { resolved, capabilities, ids, captureChars } = this.#options;
    const { tools, toolChoice, passthrough } = conversation;
    const callsAllowed = tools.length > 0 && toolChoice.type !== "none";
    const events = resolved.client.stream(
      {
        run: conversation.id,
        model: resolved.model,
        tools,
        toolChoice,
        parallelToolCalls: conversation.parallelToolCalls,
        sampling: conversation.sampling,
        ...bindOutput(conversation, callsAllowed),
        passthrough,
        stream: conversation.stream,
        capabilities,
      },
      signal,
    );
    return readAttempt(events, {
      parser: {
        tools,
        callsAllowed,
        toolMode: this.toolMode,
        formats: capabilities.formats,
        reasoning: capabilities.reasoning,
        captureChars,
        fractions: capabilities.fractions === "pass",
      },
      output: conversation.output,
      reasoningOpened: reasoningOpened(capabilities.reasoning, passthrough),
      tools,
      ids,
      usedIds: callIdsIn(conversation.messages),
      parse: capabilities.parse,
    });
  }
}

/**
 * An upstream that enforces a schema cannot write a call, so with tools on offer the form is only asked for in words; the
 * turn asks a second time, without tools, where the answer lacks it. Without tools the words are for upstreams that enforce
 * nothing.
 */
function bindOutput(
  { messages, output }: Conversation,
  callsAllowed: boolean,
): Pick<ModelRequest, "messages" | "inWords" | "output"> {
  const inWords = instructOutput(messages, output);
  return callsAllowed ? { messages: inWords, output: { type: "text" } } : { messages, inWords, output };
}
