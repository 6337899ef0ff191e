// Keeps calls open at their server while the user answers an elicitation, until the answer or a timeout.

import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Redact } from "../../core/ports.ts";
import type { FormAnswer } from "../../core/runs/interrupts.ts";
import { InterruptRaised } from "../execution/InterruptRaised.ts";
import type { MatchesSchema } from "../http/raiseInterrupts.ts";
import { type Elicitation, type ElicitationAnswer, toElicitationNeed, UNANSWERED } from "./elicitation.ts";
import type { ServerCall } from "./McpToolFactory.ts";

export interface HeldCallsOptions {
  readonly server: string;
  /** Milliseconds for which a call waits for the user. */
  readonly holdMs: number;
  readonly clock: Pick<Clock, "sleep">;
  readonly matches: MatchesSchema;
  readonly redact: Redact;
}

/** A call whose server can ask the user. */
export interface ElicitingCall extends ServerCall {
  readonly elicit: (asked: Elicitation) => Promise<ElicitationAnswer>;
}

type Make = (call: ElicitingCall) => Promise<JsonObject>;

/** Maximum number of calls of one server that wait for users; a further one cannot ask. */
const MOST_HELD = 64;
/** Maximum number of questions during one call. */
const MOST_QUESTIONS = 5;
/** The longest timer that Node supports. */
const LONGEST_MS = 2_147_483_647;

export class ElicitingCalls {
  readonly #options: HeldCallsOptions;
  /** Open calls by run and call. */
  readonly #liveCalls = new Map<string, LiveCall>();

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  /**
   * Rejects with an `InterruptRaised` if the user is asked, and as `make` does. The same call continues when it is repeated
   * with the answer.
   */
  async run(call: ServerCall, make: Make): Promise<JsonObject> {
    const { run, callKey, answer } = call.context;
    const key = `${run} ${callKey}`;
    const liveCall = this.#liveCalls.get(key);
    this.#liveCalls.delete(key);
    if (answer && !liveCall && !call.idempotent) throw new Error(LOST);
    const mayAsk = () => call.context.interactive && this.#liveCalls.size < MOST_HELD;
    const live = liveCall ?? new LiveCall(call, { make, mayAsk, matches: this.#options.matches });
    const next = await live.continueCall(call.context);
    if (next.type === "result") return next.result;
    this.#keepWaiting(key, live);
    throw new InterruptRaised(toElicitationNeed(next.elicitation, { ...this.#options, tool: call.tool }));
  }

  /** Ends those that wait. */
  close(): void {
    for (const live of this.#liveCalls.values()) live.end();
    this.#liveCalls.clear();
  }

  #keepWaiting(key: string, live: LiveCall): void {
    const { clock, holdMs } = this.#options;
    this.#liveCalls.set(key, live);
    const abandon = (): void => {
      if (this.#liveCalls.get(key) !== live) return;
      this.#liveCalls.delete(key);
      live.end();
    };
    clock.sleep(Math.min(holdMs, LONGEST_MS), live.settledSignal).then(abandon, () => {});
  }
}

const LOST =
  "the process in which this call was under way has ended; whether the call had an effect is not known, and it was not made again.";

type Next =
  | { readonly type: "result"; readonly result: JsonObject }
  | { readonly type: "asked"; readonly elicitation: Elicitation };

interface LiveOptions {
  readonly make: Make;
  /** Returns false if the user cannot be asked now. */
  readonly mayAsk: () => boolean;
  readonly matches: MatchesSchema;
}

class LiveCall {
  readonly #options: LiveOptions;
  readonly #endController = new AbortController();
  readonly #settledController = new AbortController();
  readonly #outcome: Promise<Next>;
  #nextElicitation = Promise.withResolvers<Next>();
  /** Sends the user's answer to the server. */
  #resolveAnswer: ((answer: ElicitationAnswer) => void) | undefined;
  /** The user's answer to a call that was lost; this call replaces it. */
  #formAnswer: FormAnswer | undefined;
  #questions = 0;

  constructor(call: ServerCall, options: LiveOptions) {
    this.#options = options;
    const context = { ...call.context, signal: this.#endController.signal };
    const result = options.make({ ...call, context, elicit: (elicitation) => this.#elicit(elicitation) });
    this.#outcome = result.then((result) => ({ type: "result", result }));
    const settle = (): void => this.#settledController.abort();
    this.#outcome.then(settle, settle);
  }

  /** Aborted once it has its result, or none will come. */
  get settledSignal(): AbortSignal {
    return this.#settledController.signal;
  }

  /** Resolves when there is a result or a question. While the call waits for the user no signal aborts it. */
  async continueCall({ answer, signal }: Pick<ServerCall["context"], "answer" | "signal">): Promise<Next> {
    const breakOff = (): void => this.#endController.abort(signal.reason);
    signal.addEventListener("abort", breakOff, { once: true });
    if (signal.aborted) breakOff();
    if (answer) this.#give(answer);
    try {
      return await Promise.race([this.#outcome, this.#nextElicitation.promise]);
    } finally {
      signal.removeEventListener("abort", breakOff);
    }
  }

  end(): void {
    this.#resolveAnswer?.(UNANSWERED);
    this.#endController.abort(new Error("nobody has answered in time."));
  }

  #give(answer: FormAnswer): void {
    const resolveAnswer = this.#resolveAnswer;
    this.#resolveAnswer = undefined;
    this.#nextElicitation = Promise.withResolvers();
    if (resolveAnswer) resolveAnswer(toElicitationAnswer(answer));
    else this.#formAnswer = answer;
  }

  #elicit(elicitation: Elicitation): Promise<ElicitationAnswer> {
    const { mayAsk, matches } = this.#options;
    const formAnswer = this.#formAnswer;
    this.#formAnswer = undefined;
    if (
      formAnswer &&
      (formAnswer.type === "declined" || matches(JSON.stringify(formAnswer.content), elicitation.schema))
    )
      return Promise.resolve(toElicitationAnswer(formAnswer));
    this.#questions += 1;
    if (this.#resolveAnswer || this.#questions > MOST_QUESTIONS || !mayAsk()) return Promise.resolve(UNANSWERED);
    return new Promise((resolve) => {
      this.#resolveAnswer = resolve;
      this.#nextElicitation.resolve({ type: "asked", elicitation });
    });
  }
}

function toElicitationAnswer(answer: FormAnswer): ElicitationAnswer {
  return answer.type === "given" ? { action: "accept", content: answer.content } : { action: "decline" };
}
