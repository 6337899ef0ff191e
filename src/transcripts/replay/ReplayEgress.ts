// Network of a replay: plays one transcript strictly and never dials.
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Egress, EgressRequest, EgressResponse } from "../../core/ports.ts";
import type { Transcript } from "../format/Transcript.ts";
import type { ReplayClock } from "./ReplayClock.ts";
import { type Chunking, splitChunks } from "./rechunk.ts";
import { replayExchange } from "./replayExchange.ts";
import { collectTexts, diffRequests } from "./sameRequest.ts";

/**
 * Answers the n-th request with the n-th recorded exchange, if it is the request that was recorded then (`sameRequest`);
 * anything else is a `replay_mismatch` whose message says the differences. Recorded times are not waited for: the clock stands
 * where the exchange ended as soon as it is played.
 */
export class ReplayEgress implements Egress {
  readonly #transcript: Transcript;
  readonly #chunking: Chunking;
  readonly #clock: ReplayClock | undefined;
  readonly #caller: readonly string[] | undefined;
  #played = 0;

  constructor(transcript: Transcript, options: { readonly chunking?: Chunking; readonly clock?: ReplayClock } = {}) {
    this.#transcript = transcript;
    this.#chunking = options.chunking ?? { type: "recorded" };
    this.#clock = options.clock;
    const request = transcript.header.request?.body;
    // Built from JSON.parse, so it is a JsonObject; zod's record only says unknown.
    this.#caller = request && collectTexts(request as JsonObject);
  }

  async send(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const exchange = this.#transcript.exchanges[this.#played];
    const asked = `${request.method} ${new URL(request.url).pathname}`;
    if (!exchange) throw mismatch(`The recording has ${this.#played} exchanges, but one more is sent: ${asked}.`);
    const differences = diffRequests(exchange, request, this.#caller);
    if (differences.length > 0) {
      const shownDifferences = differences.slice(0, MAX_SHOWN).join("; ");
      throw mismatch(`${asked} is not what was recorded as exchange ${exchange.n}. ${shownDifferences}`);
    }
    this.#played += 1;
    this.#clock?.advanceTo(Date.parse(exchange.at) + exchange.end.ms);
    const pieces = exchange.chunks.map(({ bytes }) => bytes);
    return replayExchange(exchange, splitChunks(pieces, this.#chunking), signal);
  }

  /** Lists recorded exchanges that were not requested, one line each. A complete replay has none. */
  leftovers(): readonly string[] {
    return this.#transcript.exchanges
      .slice(this.#played)
      .map(({ n, method, url }) => `exchange ${n}: ${method} ${new URL(url).pathname}`);
  }
}

const MAX_SHOWN = 3;

function mismatch(message: string): PostelError {
  return new PostelError(createFailure("replay_mismatch", message));
}
