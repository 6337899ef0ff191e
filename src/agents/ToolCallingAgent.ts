// Asks a model through the upstream's own `tools` field, and still reads its text for calls that leaked. Knows no prompt format.
import type { OnInvalid } from "../core/requests.ts";
import type { Agent, AgentOptions, AttemptEvent, Conversation } from "./Agent.ts";
import { callsAllowed } from "./callDemands.ts";
import { callIdsIn } from "./callIdsIn.ts";
import { instructOutput } from "./instructOutput.ts";
import { readAttempt } from "./readAttempt.ts";
import { readingOf } from "./readingOf.ts";
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
    const { messages, tools, toolChoice, output, passthrough } = conversation;
    const mayCall = callsAllowed(conversation);
    const events = resolved.client.stream(
      {
        run: conversation.id,
        model: resolved.model,
        tools,
        toolChoice,
        parallelToolCalls: conversation.parallelToolCalls,
        sampling: conversation.sampling,
        // What the row says is understood goes up, beside tools too; the turn asks again, without tools, where the form is missing.
        messages,
        inWords: instructOutput(messages, output),
        output,
        passthrough,
        stream: conversation.stream,
        capabilities,
      },
      signal,
    );
    return readAttempt(events, {
      parser: {
        tools,
        callsAllowed: mayCall,
        toolMode: this.toolMode,
        ...readingOf(capabilities),
        captureChars,
      },
      output,
      reasoningOpened: reasoningOpened(capabilities.reasoning, passthrough),
      tools,
      ids,
      usedIds: callIdsIn(conversation.messages),
      parse: capabilities.parse,
      signal,
    });
  }
}
