// Asks a model that is given no `tools`: tools and history go as text, calls come back as text. Knows no family's format.
import type { ModelEvent } from "../core/events.ts";
import { finishInTurns } from "../core/loopTurn.ts";
import { demandsCall, type JsonObject } from "../core/messages.ts";
import type { OnInvalid, Sampling } from "../core/requests.ts";
import { renderTextRequest } from "../formats/rendering/renderTextRequest.ts";
import type { ModelRequest } from "../models/ModelClient.ts";
import type { Agent, AgentOptions, AttemptEvent, Conversation } from "./Agent.ts";
import { callsAllowed } from "./callDemands.ts";
import { callForm } from "./callForm.ts";
import { callIdsIn } from "./callIdsIn.ts";
import { instructOutput } from "./instructOutput.ts";
import { mergeSampling } from "./mergeSampling.ts";
import { readAttempt } from "./readAttempt.ts";
import { readingOf } from "./readingOf.ts";
import { reasoningOpened } from "./reasoningOpened.ts";

/** What the OpenAI wire takes. */
const MOST_STOPS = 4;

export class TextReActAgent implements Agent {
  readonly toolMode = "text";
  readonly row: string;
  readonly emulate: string;
  readonly onInvalid: OnInvalid;
  readonly untouched: boolean;
  readonly #options: AgentOptions;
  /** True once the upstream has refused to hold an answer to the form of a call. */
  #formRefused = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.row = options.capabilities.row;
    this.emulate = options.capabilities.emulate;
    this.onInvalid = options.capabilities.onInvalid;
    this.untouched = options.capabilities.parse === "off";
  }

  async *attempt(conversation: Conversation, signal: AbortSignal): AsyncGenerator<AttemptEvent, void, undefined> {
    const { resolved, capabilities, ids, captureChars } = this.#options;
    const { tools, toolChoice, passthrough, output } = conversation;
    const { emulate, systemRole } = capabilities;
    const mayCall = callsAllowed(conversation);
    const text = renderTextRequest({
      messages: instructOutput(conversation.messages, output),
      tools,
      toolChoice,
      parallelToolCalls: conversation.parallelToolCalls,
      emulate,
      systemRole,
    });
    const rendered = await finishInTurns(text, signal);
    const form = mayCall ? this.#formFor(conversation) : undefined;
    const request: ModelRequest = {
      run: conversation.id,
      model: resolved.model,
      messages: rendered.messages,
      tools: [],
      toolChoice: { type: "none" },
      sampling: textSampling(conversation.sampling, capabilities.sampling, rendered.stop),
      // An upstream that enforces JSON would not let the model write its call.
      output: mayCall ? { type: "text" } : output,
      callForm: form,
      passthrough,
      stream: conversation.stream,
      capabilities,
    };
    yield* readAttempt(this.#ask(request, signal), {
      parser: {
        tools,
        callsAllowed: mayCall,
        toolMode: this.toolMode,
        ...readingOf(capabilities),
        emulate,
        heldToCall: form !== undefined,
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

  /** The form of the only thing that will do, a call; undefined where words will do too, or where the model is to think first. */
  #formFor({ tools, toolChoice, callAgain, passthrough }: Conversation): JsonObject | undefined {
    const { jsonSchema, reasoning } = this.#options.capabilities;
    const demanded = callAgain || demandsCall(toolChoice);
    if (!demanded || this.#formRefused || this.untouched || jsonSchema !== "native") return undefined;
    return reasoningOpened(reasoning, passthrough) ? undefined : callForm(tools, toolChoice);
  }

  /** The prompt asks for a call in any case, so an upstream that will not have the form is asked without it. */
  async *#ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const { client } = this.#options.resolved;
    let mayBeForm = request.callForm !== undefined;
    for await (const event of client.stream(request, signal)) {
      if (mayBeForm && event.type === "failed" && event.failure.code === "upstream_refused") {
        this.#formRefused = true;
        yield* withRetry(client.stream({ ...request, callForm: undefined }, signal));
        return;
      }
      mayBeForm &&= event.type !== "opened";
      yield event;
    }
  }
}

async function* withRetry(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, void, undefined> {
  for await (const event of events) yield event.type === "opened" ? { ...event, retries: event.retries + 1 } : event;
}

/** The caller's word first, then the row's. The caller's stop words are a promise, the format's a saving: they fill what is left. */
function textSampling(asked: Sampling, row: Sampling, formatStop: readonly string[]): Sampling {
  const { stop: said = [], ...merged } = mergeSampling(row, asked);
  // More of the caller's own than the wire takes are the upstream's to refuse: left out, they would be a promise broken in silence.
  const stop = [...new Set([...said, ...formatStop])].slice(0, Math.max(MOST_STOPS, said.length));
  return stop.length > 0 ? { ...merged, stop } : merged;
}
