// Reads a short body, such as an error or a list, as text up to a limit.
import type { EgressResponse } from "../../core/ports.ts";
import type { EventTimeout } from "./EventTimeout.ts";

/** Reads at most about `maxChars` characters and then closes the connection. Rejects if the deadline or the connection does. */
export async function readWholeBody(
  response: EgressResponse,
  deadline: EventTimeout,
  maxChars: number,
): Promise<string> {
  const bytes = response.body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (text.length < maxChars) {
      const chunk = await deadline.next(bytes);
      if (chunk.done) return text + decoder.decode();
      text += decoder.decode(chunk.value, { stream: true });
    }
    return text.slice(0, maxChars);
  } finally {
    deadline.stop();
    // Not awaited: a connection that hangs must not delay the answer.
    void Promise.resolve(bytes.return?.()).catch(() => {});
  }
}
