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
  readonly #held = new Map<string, LiveCall>();

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
    const held = this.#held.get(key);
    this.#held.delete(key);
    if (answer && !held && !call.idempotent) throw new Error(LOST);
    const mayAsk = () => call.context.interactive && this.#held.size < MOST_HELD;
    const live = held ?? new LiveCall(call, { make, mayAsk, matches: this.#options.matches });
    const next = await live.goOn(call.context);
    if (next.type === "result") return next.result;
    this.#hold(key, live);
    throw new InterruptRaised(toElicitationNeed(next.asked, { ...this.#options, tool: call.tool }));
  }

  /** Ends those that wait. */
  close(): void {
    for (const live of this.#held.values()) live.end();
    this.#held.clear();
  }

  #hold(key: string, live: LiveCall): void {
    const { clock, holdMs } = this.#options;
    this.#held.set(key, live);
    const giveUp = (): void => {
      if (this.#held.get(key) !== live) return;
      this.#held.delete(key);
      live.end();
    };
    clock.sleep(Math.min(holdMs, LONGEST_MS), live.over).then(giveUp, () => {});
  }
}

const LOST =
  "the process in which this call was under way has ended; whether the call had an effect is not known, and it was not made again.";

type Next =
  | { readonly type: "result"; readonly result: JsonObject }
  | { readonly type: "asked"; readonly asked: Elicitation };

interface LiveOptions {
  readonly make: Make;
  /** Returns false if the user cannot be asked now. */
  readonly mayAsk: () => boolean;
  readonly matches: MatchesSchema;
}

class LiveCall {
  readonly #options: LiveOptions;
  readonly #ended = new AbortController();
  readonly #settled = new AbortController();
  readonly #outcome: Promise<Next>;
  #asked = Promise.withResolvers<Next>();
  /** Sends the user's answer to the server. */
  #tell: ((answer: ElicitationAnswer) => void) | undefined;
  /** The user's answer to a call that was lost; this call replaces it. */
  #given: FormAnswer | undefined;
  #questions = 0;

  constructor(call: ServerCall, options: LiveOptions) {
    this.#options = options;
    const context = { ...call.context, signal: this.#ended.signal };
    const made = options.make({ ...call, context, elicit: (asked) => this.#elicit(asked) });
    this.#outcome = made.then((result) => ({ type: "result", result }));
    const settle = (): void => this.#settled.abort();
    this.#outcome.then(settle, settle);
  }

  /** Aborted once it has its result, or none will come. */
  get over(): AbortSignal {
    return this.#settled.signal;
  }

  /** Resolves when there is a result or a question. While the call waits for the user no signal aborts it. */
  async goOn({ answer, signal }: Pick<ServerCall["context"], "answer" | "signal">): Promise<Next> {
    const breakOff = (): void => this.#ended.abort(signal.reason);
    signal.addEventListener("abort", breakOff, { once: true });
    if (signal.aborted) breakOff();
    if (answer) this.#give(answer);
    try {
      return await Promise.race([this.#outcome, this.#asked.promise]);
    } finally {
      signal.removeEventListener("abort", breakOff);
    }
  }

  end(): void {
    this.#tell?.(UNANSWERED);
    this.#ended.abort(new Error("nobody has answered in time."));
  }

  #give(answer: FormAnswer): void {
    const tell = this.#tell;
    this.#tell = undefined;
    this.#asked = Promise.withResolvers();
    if (tell) tell(toElicitationAnswer(answer));
    else this.#given = answer;
  }

  #elicit(asked: Elicitation): Promise<ElicitationAnswer> {
    const { mayAsk, matches } = this.#options;
    const given = this.#given;
    this.#given = undefined;
    if (given && (given.type === "declined" || matches(JSON.stringify(given.content), asked.schema)))
      return Promise.resolve(toElicitationAnswer(given));
    this.#questions += 1;
    if (this.#tell || this.#questions > MOST_QUESTIONS || !mayAsk()) return Promise.resolve(UNANSWERED);
    return new Promise((resolve) => {
      this.#tell = resolve;
      this.#asked.resolve({ type: "asked", asked });
    });
  }
}

function toElicitationAnswer(answer: FormAnswer): ElicitationAnswer {
  return answer.type === "given" ? { action: "accept", content: answer.content } : { action: "decline" };
}
