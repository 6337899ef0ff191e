// Records every attempt that passes through an Egress, without a change to it.

import { PostelError } from "../../core/failures.ts";
import { parseJsonOrText } from "../../core/json/parseJson.ts";
import type { Clock, Egress, EgressRequest, EgressResponse, Redact } from "../../core/ports.ts";
import type { RecordedChunk, RecordedEnd, RecordedExchange, RecordedResponse } from "../format/Transcript.ts";
import { redactExchange } from "../redaction/redactExchange.ts";

export interface TranscriptSink<Recorded> {
  /** Takes an exchange or a program that has ended. Must not throw and is not waited for. */
  write(ended: Ended<Recorded>): void;
  /** Takes note of an exchange that cannot be written down. Must not throw. */
  lose(reason: unknown): void;
}

export interface Ended<Recorded> {
  readonly run: string;
  /** Size of the response body or of the output. */
  readonly bytes: number;
  /** Returns the redacted record. Call it once and where there is time: a long answer takes many turns of the event loop. */
  redacted(): Promise<Recorded>;
}

/** Records each exchange once it has ended: complete, left by the gateway, or broken. The bytes pass unchanged. */
export function recordEgress(
  inner: Egress,
  options: { readonly sink: TranscriptSink<RecordedExchange>; readonly redact: Redact; readonly clock: Clock },
): Egress {
  // One sequence for all runs: numbers need only grow within a run, and nothing has to be remembered of runs.
  let sentBytes = 0;
  return {
    async send(request, signal) {
      const draft = new Draft(request, sentBytes++, options.clock);
      const write = (end: Omit<RecordedEnd, "ms">): void => {
        try {
          const exchange = draft.end(end);
          const bytes = exchange.chunks.reduce((sum, chunk) => sum + chunk.bytes.byteLength, 0);
          const redacted = () => redactExchange(exchange, options.redact);
          options.sink.write({ run: exchange.run, bytes, redacted });
        } catch (error) {
          options.sink.lose(error);
        }
      };
      try {
        const response = await inner.send(request, signal);
        draft.responded(response);
        return tap(response, draft, write);
      } catch (error) {
        write(toRecordedEnd(error));
        throw error;
      }
    },
  };
}

class Draft {
  readonly #request: EgressRequest;
  readonly #n: number;
  readonly #clock: Clock;
  readonly #startTime: string;
  readonly #start: number;
  readonly #chunks: RecordedChunk[] = [];
  #response: RecordedResponse | undefined;

  constructor(request: EgressRequest, n: number, clock: Clock) {
    this.#request = request;
    this.#n = n;
    this.#clock = clock;
    this.#startTime = new Date(clock.now()).toISOString();
    this.#start = clock.monotonic();
  }

  responded({ status, headers }: EgressResponse): void {
    this.#response = { ms: this.#elapsed(), status, headers };
  }

  chunk(bytes: Uint8Array): void {
    this.#chunks.push({ ms: this.#elapsed(), bytes });
  }

  end(end: Omit<RecordedEnd, "ms">): RecordedExchange {
    const { method, url, headers, body, purpose } = this.#request;
    return {
      n: this.#n,
      run: purpose.run,
      method,
      url,
      headers,
      ...(body !== undefined && { body: parseJsonOrText(body) }),
      at: this.#startTime,
      ...(this.#response && { response: this.#response }),
      chunks: this.#chunks,
      end: { ms: this.#elapsed(), ...end },
    };
  }

  #elapsed(): number {
    return Math.round(this.#clock.monotonic() - this.#start);
  }
}

function tap(response: EgressResponse, draft: Draft, write: (end: Omit<RecordedEnd, "ms">) => void): EgressResponse {
  const chunks = response.body[Symbol.asyncIterator]();
  let hasEnded = false;
  const end = (end: Omit<RecordedEnd, "ms">): void => {
    if (!hasEnded) write(end);
    hasEnded = true;
  };
  const body: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      try {
        const chunk = await chunks.next();
        if (chunk.done) end({ how: "complete" });
        else draft.chunk(chunk.value);
        return chunk;
      } catch (error) {
        end(toRecordedEnd(error));
        throw error;
      }
    },
    async return() {
      end({ how: "aborted" });
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
  return { ...response, body, setEarlyReader: undefined };
}

function toRecordedEnd(error: unknown): Omit<RecordedEnd, "ms"> {
  if (!(error instanceof PostelError)) return { how: "broken" };
  const { code, message } = error.failure;
  return code === "cancelled" ? { how: "aborted" } : { how: "broken", failure: { code, message } };
}
