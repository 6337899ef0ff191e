// Plays one transcript, strictly: the network of a replay. Never dials, and does not know what the bytes mean.
import { failure, PostelError } from "../core/failures.ts";
import type { Egress, EgressRequest, EgressResponse } from "../core/ports.ts";
import { playExchange } from "./playExchange.ts";
import { type Chunking, rechunk } from "./rechunk.ts";
import { sameRequest } from "./sameRequest.ts";
import type { Transcript } from "./Transcript.ts";

/**
 * Answers the n-th request with the n-th recorded exchange, if it is the request that was recorded then (`sameRequest`);
 * anything else is a `replay_mismatch` whose message says the differences. Recorded times are not waited for.
 */
export class ReplayEgress implements Egress {
  readonly #transcript: Transcript;
  readonly #chunking: Chunking;
  #played = 0;

  constructor(transcript: Transcript, chunking: Chunking = { type: "recorded" }) {
    this.#transcript = transcript;
    this.#chunking = chunking;
  }

  async send(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const exchange = this.#transcript.exchanges[this.#played];
    const asked = `${request.method} ${new URL(request.url).pathname}`;
    if (!exchange) throw mismatch(`The recording has ${this.#played} exchanges, but one more is sent: ${asked}.`);
    const differences = sameRequest(exchange, request);
    if (differences.length > 0) {
      const shown = differences.slice(0, MAX_SHOWN).join("; ");
      throw mismatch(`${asked} is not what was recorded as exchange ${exchange.n}. ${shown}`);
    }
    this.#played += 1;
    const pieces = exchange.chunks.map(({ bytes }) => bytes);
    return playExchange(exchange, rechunk(pieces, this.#chunking), signal);
  }

  /** What was recorded but never asked for, a line an exchange. A replay that leaves any has not done what was recorded. */
  leftovers(): readonly string[] {
    return this.#transcript.exchanges
      .slice(this.#played)
      .map(({ n, method, url }) => `exchange ${n}: ${method} ${new URL(url).pathname}`);
  }
}

const MAX_SHOWN = 3;

function mismatch(message: string): PostelError {
  return new PostelError(failure("replay_mismatch", message));
}
