// Asks a model once and reads the answer. The subclasses write the prompt.

import type { EventSink } from "../core/events/EventSink.ts";
import type { ModelEvent } from "../core/events/events.ts";
import type { ToolMode } from "../core/messages.ts";
import type { ModelCapabilities } from "../core/models/capabilities.ts";
import type { Clock, Ids, Observer } from "../core/ports.ts";
import { createOutputParser, createParserOptions, type OutputParser } from "../formats/createOutputParser.ts";
import { isPlainText } from "../formats/grammars/headed/lineStarts.ts";
import { completeCall, type ModelRequest, type TextAnswer, toEventStream } from "../models/ModelClient.ts";
import type { Route } from "../models/Route.ts";
import { UsageEstimate } from "../models/response/UsageEstimate.ts";
import type { Agent, AttemptConversation, AttemptEvent, AttemptStream } from "./Agent.ts";
import { ArgumentRestorer } from "./attempt/ArgumentRestorer.ts";
import type { AttemptReading } from "./attempt/AttemptReader.ts";
import { collectCallIds } from "./attempt/CallIdAllocator.ts";
import { readAttempt } from "./attempt/readAttempt.ts";
import { allowsToolCalls } from "./attempt/toolChoiceRules.ts";
import type { Prompt } from "./prompting/Prompt.ts";
import { opensInReasoning } from "./prompting/startsInReasoning.ts";
import { hasSourceText } from "./quotes/conversationTimeline.ts";

export interface AgentOptions {
  readonly route: Pick<Route, "model" | "client">;
  readonly capabilities: ModelCapabilities;
  readonly ids: Pick<Ids, "callId">;
  /** Maximum number of characters that one capture of the parser may buffer. */
  readonly captureChars: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly observer: Observer;
}

/** Asks a model once and reads the answer. `ToolCallingAgent` and `TextReActAgent` write the prompt. */
export abstract class ModelAgent implements Agent {
  readonly model: Agent["model"];
  readonly toolMode: Agent["toolMode"];
  readonly row: Agent["row"];
  readonly emulate: Agent["emulate"];
  readonly onInvalid: Agent["onInvalid"];
  readonly untouched: Agent["untouched"];
  readonly #options: AgentOptions;
  /** True once the upstream has refused to constrain an answer to the schema of a call. */
  #formRefused = false;

  constructor(toolMode: ToolMode, options: AgentOptions) {
    const { row, emulate, onInvalid, parse } = options.capabilities;
    this.model = options.route.model;
    this.toolMode = toolMode;
    this.row = row;
    this.emulate = toolMode === "text" ? emulate : undefined;
    this.onInvalid = onInvalid;
    this.untouched = parse === "off";
    this.#options = options;
  }

  /** Writes the part of the model request that depends on how tools are offered. Rejects with the signal's reason. */
  protected abstract prompt(
    conversation: AttemptConversation,
    capabilities: ModelCapabilities,
    signal: AbortSignal,
  ): Promise<Prompt>;

  async attempt(
    conversation: AttemptConversation,
    signal: AbortSignal,
    onEvents: EventSink<AttemptEvent>,
  ): Promise<void> {
    const { stop: texts = [] } = conversation.sampling;
    // The fast path does not look for stop texts, so it is off if there are any.
    const fastLane = texts.length > 0 ? undefined : conversation.ahead;
    const prompt = await this.prompt(conversation, this.#options.capabilities, signal);
    const request = this.#request(conversation, prompt, fastLane);
    const cost = texts.length > 0 ? new UsageEstimate(request) : undefined;
    const reading = this.#reading(conversation, request, signal);
    await readAttempt(
      (onModelEvents) => this.#streamModel(request, signal, cost ? countUsage(cost, onModelEvents) : onModelEvents),
      cost ? { ...reading, stop: { texts, end: () => cost.end("stop") } } : reading,
      onEvents,
    );
  }

  async complete(conversation: AttemptConversation, signal: AbortSignal): Promise<TextAnswer | AttemptStream> {
    const attempt: AttemptStream = (take) => this.attempt(conversation, signal, take);
    if (this.untouched || conversation.sampling.stop) return attempt;
    const prompt = await this.prompt(conversation, this.#options.capabilities, signal);
    const request = this.#request(conversation, prompt, undefined);
    if (request.callForm) return attempt;
    const answer = await completeCall(this.#options.route.client, request, signal);
    if (typeof answer !== "function" && this.#isPlain(answer, conversation)) return answer;
    return (take) => readAttempt(toEventStream(answer), this.#reading(conversation, request, signal), take);
  }

  /** Returns true if the parser emits the text of the answer unchanged. Runs the parser only if the text is not obviously plain. */
  #isPlain({ opened, said, end }: TextAnswer, conversation: AttemptConversation): boolean {
    // Calls are read by the names that the model was shown.
    if (opened.renamed) return false;
    const { clock, observer } = this.#options;
    const began = clock.monotonic();
    const text = this.#text(conversation, false);
    const isPlain =
      isPlainText(said.text, createParserOptions(text)) ||
      emitsUnchanged(createOutputParser(text, conversation.output), said.text, end.finishReason);
    if (isPlain) observer.observe({ type: "parsed", run: conversation.id, ms: clock.monotonic() - began });
    return isPlain;
  }

  #reading(conversation: AttemptConversation, request: ModelRequest, signal: AbortSignal): AttemptReading {
    const { capabilities, clock, observer } = this.#options;
    const { id: run, output, messages, executedIds, askAboutQuotes: asked } = conversation;
    const usedIds = collectCallIds(messages);
    return {
      text: this.#text(conversation, request.callForm !== undefined),
      output,
      quotes: hasSourceText(conversation)
        ? {
            conversation,
            asked,
            restorer: new ArgumentRestorer({ conversation, capabilities, toolMode: this.toolMode }),
          }
        : undefined,
      usedIds: executedIds ? [...usedIds, ...executedIds] : usedIds,
      ownIds: executedIds !== undefined,
      parse: capabilities.parse,
      ahead: request.ahead,
      signal,
      clock,
      onParsed: (ms) => observer.observe({ type: "parsed", run, ms }),
    };
  }

  #text(conversation: AttemptConversation, heldToCall: boolean): AttemptReading["text"] {
    const { capabilities, ids, captureChars } = this.#options;
    return {
      model: capabilities,
      tools: conversation.tools,
      callsAllowed: allowsToolCalls(conversation),
      toolMode: this.toolMode,
      heldToCall,
      reasoningOpened: opensInReasoning(capabilities.reasoning, conversation.passthrough),
      ids,
      captureChars,
    };
  }

  #request(
    { id: run, passthrough, stream }: AttemptConversation,
    prompt: Prompt,
    fastLane: ModelRequest["ahead"],
  ): ModelRequest {
    const { route, capabilities } = this.#options;
    return {
      run,
      model: route.model,
      messages: prompt.messages,
      tools: prompt.tools,
      toolChoice: prompt.toolChoice,
      toolsWithheld: prompt.toolsWithheld,
      parallelToolCalls: prompt.parallelToolCalls,
      sampling: prompt.sampling,
      output: prompt.output,
      callForm: this.#formRefused ? undefined : prompt.callForm,
      inWords: prompt.inWords,
      lost: prompt.lost,
      stream,
      ahead: fastLane,
      watched: prompt.watched,
      passthrough,
      capabilities,
    };
  }

  #streamModel(request: ModelRequest, signal: AbortSignal, onEvents: EventSink<ModelEvent>): Promise<void> {
    if (request.callForm) return this.#streamWithSchema(request, signal, onEvents);
    return this.#options.route.client.stream(request, signal, onEvents);
  }

  async #streamWithSchema(request: ModelRequest, signal: AbortSignal, onEvents: EventSink<ModelEvent>): Promise<void> {
    const { client } = this.#options.route;
    let isRefused = false;
    let first = true;
    await client.stream(request, signal, (events) => {
      isRefused = first && isRefusal(events[0]);
      first = false;
      return isRefused ? "enough" : onEvents(events);
    });
    if (!isRefused) return;
    // The prompt asks for a call in any case, so the upstream is asked again without the schema.
    this.#formRefused = true;
    await client.stream({ ...request, callForm: undefined }, signal, (events) => onEvents(events.map(addRetry)));
  }
}

/** Returns true if the parser emits the text unchanged, in one slice. */
function emitsUnchanged(parser: OutputParser, text: string, finishReason: string | null): boolean {
  const first = parser.feedSlice(text);
  const last = first.more ? first : parser.finishSlice(finishReason);
  if (last.more) return false;
  let emitted = "";
  for (const event of [...first.events, ...last.events]) {
    if (event.type !== "text") return false;
    emitted += event.text;
  }
  return emitted === text;
}

/** Counts usage, because the upstream reports none for an answer that the gateway ends early. */
function countUsage(cost: UsageEstimate, onEvents: EventSink<ModelEvent>): EventSink<ModelEvent> {
  return (events) => {
    cost.count(events);
    return onEvents(events);
  };
}

function isRefusal(event: ModelEvent | undefined): boolean {
  return event?.type === "failed" && event.failure.code === "upstream_refused";
}

function addRetry(event: ModelEvent): ModelEvent {
  return event.type === "opened" ? { ...event, retries: event.retries + 1 } : event;
}
