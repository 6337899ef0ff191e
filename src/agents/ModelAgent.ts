// The agent: asks its model once, in its way of prompting, and reads what comes. Knows no prompt, no turn and no tool's code.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { ModelEvent } from "../core/events.ts";
import type { Clock, Ids, Observer } from "../core/ports.ts";
import type { Take } from "../core/take.ts";
import { createOutputParser, type OutputParser, parserOptions } from "../formats/createOutputParser.ts";
import { isPlain } from "../formats/forms/headed/openings.ts";
import type { ParserEvent } from "../formats/turn/ParserEvent.ts";
import { askWhole, type ModelRequest, tellingWords, type WholeAnswer } from "../models/ModelClient.ts";
import type { Route } from "../models/ModelDirectory.ts";
import { UsageEstimate } from "../models/UsageEstimate.ts";
import type { Agent, AttemptEvent, AttemptTelling, Conversation } from "./Agent.ts";
import { ArgumentRestorer } from "./ArgumentRestorer.ts";
import type { AttemptReading } from "./AttemptReader.ts";
import { callsAllowed } from "./callDemands.ts";
import { callIdsIn } from "./callIdsIn.ts";
import type { Prompt, Prompting } from "./Prompting.ts";
import { hasSourceText } from "./quotes/conversationTimeline.ts";
import { readAttempt } from "./readAttempt.ts";
import { reasoningOpened } from "./reasoningOpened.ts";

export interface AgentOptions {
  readonly route: Pick<Route, "model" | "client">;
  readonly capabilities: ModelCapabilities;
  readonly ids: Pick<Ids, "callId">;
  /** Characters that one capture of the parser may hold. */
  readonly captureChars: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly observer: Observer;
}

export class ModelAgent implements Agent {
  readonly model: Agent["model"];
  readonly toolMode: Agent["toolMode"];
  readonly row: Agent["row"];
  readonly emulate: Agent["emulate"];
  readonly onInvalid: Agent["onInvalid"];
  readonly untouched: Agent["untouched"];
  readonly #prompting: Prompting;
  readonly #options: AgentOptions;
  /** True once the upstream has refused to hold an answer to the form of a call. */
  #formRefused = false;

  constructor(prompting: Prompting, options: AgentOptions) {
    const { row, emulate, onInvalid, parse } = options.capabilities;
    this.model = options.route.model;
    this.toolMode = prompting.toolMode;
    this.row = row;
    this.emulate = prompting.toolMode === "text" ? emulate : undefined;
    this.onInvalid = onInvalid;
    this.untouched = parse === "off";
    this.#prompting = prompting;
    this.#options = options;
  }

  async attempt(conversation: Conversation, signal: AbortSignal, take: Take<AttemptEvent>): Promise<void> {
    const { stop: texts = [] } = conversation.sampling;
    // A stop text ends the words, wherever in them it stands.
    const ahead = texts.length > 0 ? undefined : conversation.ahead;
    const preparing = this.#request(conversation, signal, ahead);
    const request = preparing instanceof Promise ? await preparing : preparing;
    const cost = texts.length > 0 ? new UsageEstimate(request) : undefined;
    const reading = this.#reading(conversation, request, signal);
    await readAttempt(
      (hear) => this.#ask(request, signal, cost ? counting(cost, hear) : hear),
      cost ? { ...reading, stop: { texts, end: () => cost.end("stop") } } : reading,
      take,
    );
  }

  whole(conversation: Conversation, signal: AbortSignal): Promise<WholeAnswer | AttemptTelling> {
    if (this.untouched || conversation.sampling.stop) return this.#tellingAll(conversation, signal);
    const preparing = this.#request(conversation, signal, undefined);
    if (preparing instanceof Promise) return preparing.then((request) => this.#askWhole(conversation, request, signal));
    return this.#askWhole(conversation, preparing, signal);
  }

  #askWhole(
    conversation: Conversation,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<WholeAnswer | AttemptTelling> {
    if (request.callForm) return this.#tellingAll(conversation, signal);
    return askWhole<WholeAnswer | AttemptTelling>(this.#options.route.client, request, signal, (answer) => {
      const isTold = typeof answer === "function";
      if (!isTold && this.#givesAsTheyAre(answer, conversation)) return answer;
      const tell = isTold ? answer : tellingWords(answer);
      return (take) => readAttempt(tell, this.#reading(conversation, request, signal), take);
    });
  }

  async #tellingAll(conversation: Conversation, signal: AbortSignal): Promise<AttemptTelling> {
    return (take) => this.attempt(conversation, signal, take);
  }

  /** Whether the parser gives these words as they are, in one go: it is asked where they are not seen to be plain. */
  #givesAsTheyAre({ opened, said, end }: WholeAnswer, conversation: Conversation): boolean {
    // Calls are read by the names that the model was shown.
    if (opened.renamed) return false;
    const { clock, observer } = this.#options;
    const began = clock.monotonic();
    const text = this.#text(conversation, false);
    const isAsItCame =
      (conversation.output.type === "text" && isPlain(said.text, parserOptions(text))) ||
      givesAsItCame(createOutputParser(text, conversation.output), said.text, end.finishReason);
    if (isAsItCame) observer.observe({ type: "parsed", run: conversation.id, ms: clock.monotonic() - began });
    return isAsItCame;
  }

  #reading(conversation: Conversation, request: ModelRequest, signal: AbortSignal): AttemptReading {
    const { capabilities, clock, observer } = this.#options;
    const { id: run, output, messages, executedIds, askAboutQuotes: asked } = conversation;
    const used = callIdsIn(messages);
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
      usedIds: executedIds ? [...used, ...executedIds] : used,
      ownIds: executedIds !== undefined,
      parse: capabilities.parse,
      ahead: request.ahead,
      signal,
      clock,
      onParsed: (ms) => observer.observe({ type: "parsed", run, ms }),
    };
  }

  #text(conversation: Conversation, heldToCall: boolean): AttemptReading["text"] {
    const { capabilities, ids, captureChars } = this.#options;
    return {
      model: capabilities,
      tools: conversation.tools,
      callsAllowed: callsAllowed(conversation),
      toolMode: this.toolMode,
      heldToCall,
      reasoningOpened: reasoningOpened(capabilities.reasoning, conversation.passthrough),
      ids,
      captureChars,
    };
  }

  #request(
    conversation: Conversation,
    signal: AbortSignal,
    ahead: ModelRequest["ahead"],
  ): ModelRequest | Promise<ModelRequest> {
    const prompt = this.#prompting.prompt(conversation, this.#options.capabilities, signal);
    if (prompt instanceof Promise) return prompt.then((later) => this.#requestOf(conversation, later, ahead));
    return this.#requestOf(conversation, prompt, ahead);
  }

  #requestOf(
    { id: run, passthrough, stream }: Conversation,
    prompt: Prompt,
    ahead: ModelRequest["ahead"],
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
      ahead,
      watched: prompt.watched,
      passthrough,
      capabilities,
    };
  }

  #ask(request: ModelRequest, signal: AbortSignal, take: Take<ModelEvent>): Promise<void> {
    if (request.callForm) return this.#askForForm(request, signal, take);
    return this.#options.route.client.stream(request, signal, take);
  }

  async #askForForm(request: ModelRequest, signal: AbortSignal, take: Take<ModelEvent>): Promise<void> {
    const { client } = this.#options.route;
    let refused = false;
    let first = true;
    await client.stream(request, signal, (events) => {
      refused = first && isRefusal(events[0]);
      first = false;
      return refused ? "enough" : take(events);
    });
    if (!refused) return;
    // The prompt asks for a call in any case, so an upstream that will not have the form is asked without it.
    this.#formRefused = true;
    await client.stream({ ...request, callForm: undefined }, signal, (events) => take(events.map(withRetry)));
  }
}

/** Whether a text comes out of its parser as it is, in one go. */
function givesAsItCame(parser: OutputParser, text: string, finishReason: string | null): boolean {
  const first = parser.feedSlice(text);
  const last = first.more ? first : parser.finishSlice(finishReason);
  return !last.more && textIn([...first.events, ...last.events]) === text;
}

/** The text of events that are nothing else. */
function textIn(events: readonly ParserEvent[]): string | undefined {
  let text = "";
  for (const event of events) {
    if (event.type !== "text") return undefined;
    text += event.text;
  }
  return text;
}

/** What an answer cost that is ended here is known by nobody else. */
function counting(cost: UsageEstimate, take: Take<ModelEvent>): Take<ModelEvent> {
  return (events) => {
    cost.count(events);
    return take(events);
  };
}

function isRefusal(event: ModelEvent | undefined): boolean {
  return event?.type === "failed" && event.failure.code === "upstream_refused";
}

function withRetry(event: ModelEvent): ModelEvent {
  return event.type === "opened" ? { ...event, retries: event.retries + 1 } : event;
}
