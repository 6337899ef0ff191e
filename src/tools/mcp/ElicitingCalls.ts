// Calls that have asked a person something: they stay under way at their server until the answer comes, or their time is up. Knows no protocol and no run.

import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Redact } from "../../core/ports.ts";
import type { FormAnswer } from "../../core/runs/interrupts.ts";
import { InterruptRaised } from "../execution/InterruptRaised.ts";
import type { MatchesSchema } from "../http/raiseInterrupts.ts";
import { type Elicitation, type ElicitationAnswer, toElicitationNeed, UNANSWERED } from "./elicitation.ts";
import type { ServerCall } from "./McpToolFactory.ts";

export interface HeldCallsOptions {
  readonly server: string;
  /** Milliseconds for which a call waits for a person. */
  readonly holdMs: number;
  readonly clock: Pick<Clock, "sleep">;
  readonly matches: MatchesSchema;
  readonly redact: Redact;
}

/** A call with somebody who hears what its server asks. */
export interface ElicitingCall extends ServerCall {
  readonly elicit: (asked: Elicitation) => Promise<ElicitationAnswer>;
}

type Make = (call: ElicitingCall) => Promise<JsonObject>;

/** Calls of one server that wait for people at the same time: of a further one nobody is asked. */
const MOST_HELD = 64;
/** What a server may ask during one call. */
const MOST_QUESTIONS = 5;
/** As long as a timer can be. */
const LONGEST_MS = 2_147_483_647;

export class ElicitingCalls {
  readonly #options: HeldCallsOptions;
  /** By run and call. */
  readonly #held = new Map<string, LiveCall>();

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  /** Rejects with an `InterruptRaised` where a person is asked, and as `make` does; the same call goes on when it comes again with the answer. */
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
  /** False where nobody is to be asked now. */
  readonly mayAsk: () => boolean;
  readonly matches: MatchesSchema;
}

class LiveCall {
  readonly #options: LiveOptions;
  readonly #ended = new AbortController();
  readonly #settled = new AbortController();
  readonly #outcome: Promise<Next>;
  #asked = Promise.withResolvers<Next>();
  /** Tells the server what a person has said. */
  #tell: ((answer: ElicitationAnswer) => void) | undefined;
  /** What a person said to a call that was lost: this one is made in its place. */
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

  /** Until the result is there, or a person is asked. While it waits for a person no signal ends it. */
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
