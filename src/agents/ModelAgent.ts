// The agent: asks its model once, in its way of prompting, and reads what comes. Knows no prompt, no turn and no tool's code.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { ModelEvent } from "../core/events.ts";
import type { Clock, Ids, Observer } from "../core/ports.ts";
import type { ModelRequest } from "../models/ModelClient.ts";
import type { Route } from "../models/ModelDirectory.ts";
import type { Agent, AttemptEvent, Conversation } from "./Agent.ts";
import { callsAllowed } from "./callDemands.ts";
import { callIdsIn } from "./callIdsIn.ts";
import type { Prompting } from "./Prompting.ts";
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
    this.toolMode = prompting.toolMode;
    this.row = row;
    this.emulate = prompting.toolMode === "text" ? emulate : undefined;
    this.onInvalid = onInvalid;
    this.untouched = parse === "off";
    this.#prompting = prompting;
    this.#options = options;
  }

  async *attempt(conversation: Conversation, signal: AbortSignal): AsyncGenerator<AttemptEvent, void, undefined> {
    const { capabilities, ids, captureChars, clock, observer } = this.#options;
    const { id: run, tools, output, passthrough } = conversation;
    const request = await this.#request(conversation, signal);
    yield* readAttempt(this.#ask(request, signal), {
      text: {
        model: capabilities,
        tools,
        callsAllowed: callsAllowed(conversation),
        toolMode: this.toolMode,
        heldToCall: request.callForm !== undefined,
        reasoningOpened: reasoningOpened(capabilities.reasoning, passthrough),
        ids,
        captureChars,
      },
      output,
      usedIds: callIdsIn(conversation.messages),
      parse: capabilities.parse,
      signal,
      clock,
      onParsed: (ms) => observer.observe({ type: "parsed", run, ms }),
    });
  }

  async #request(conversation: Conversation, signal: AbortSignal): Promise<ModelRequest> {
    const { route, capabilities } = this.#options;
    const prompt = await this.#prompting.prompt(conversation, capabilities, signal);
    const { id: run, passthrough, stream } = conversation;
    const callForm = this.#formRefused ? undefined : prompt.callForm;
    return { run, model: route.model, ...prompt, callForm, passthrough, stream, capabilities };
  }

  #ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    return request.callForm ? this.#askForForm(request, signal) : this.#options.route.client.stream(request, signal);
  }

  /** The prompt asks for a call in any case, so an upstream that will not have the form is asked without it. */
  async *#askForForm(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const { client } = this.#options.route;
    let mayBeForm = true;
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
