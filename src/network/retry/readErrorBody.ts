// Reads the body of an error response in advance. The consumer then receives the same bytes.
import type { EgressResponse } from "../../core/ports.ts";

/** Bytes of an error's body that are read. */
const MAX_BYTES = 65_536;

interface ErrorBody {
  /** The beginning of the body; empty if it failed before any byte. */
  readonly text: string;
  /** The response with its body unchanged. A read fails at the position where it failed here. */
  readonly unread: EgressResponse;
}

export async function readErrorBody(response: EgressResponse): Promise<ErrorBody> {
  const rest = response.body[Symbol.asyncIterator]();
  const reads: (() => Promise<IteratorResult<Uint8Array>>)[] = [];
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes < MAX_BYTES) {
    const read = await rest.next().catch((error: unknown) => {
      reads.push(() => Promise.reject(error));
    });
    if (!read || read.done) break;
    reads.push(() => Promise.resolve(read));
    bytes += read.value.length;
    text += decoder.decode(read.value, { stream: true });
  }
  const iterator: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => reads.shift()?.() ?? rest.next(),
    return: async () => {
      await rest.return?.();
      return { done: true, value: undefined };
    },
  };
  return { text, unread: { ...response, body: iterator, setEarlyReader: undefined } };
}
