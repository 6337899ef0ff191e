// A transport that accepts one answer per request id; every other answer is dropped and reported.
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { isObject } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";

/** Error code of a request whose answer was lost; from the range that servers may define. */
export const LOST = -32_000;
export const LOST_WORDS = "the connection broke before the answer";

/** Maximum number of remembered cancelled requests, which may still be answered. */
const TAKEN_BACK = 1_024;

export class DedupingTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: Transport["onerror"];
  onclose?: Transport["onclose"];
  readonly #inner: Transport;
  readonly #onDropped: (what: string) => void;
  readonly #open = new Set<unknown>();
  readonly #cancelledIds = new Set<unknown>();

  constructor(inner: Transport, onDropped: (what: string) => void) {
    this.#inner = inner;
    this.#onDropped = onDropped;
    const callbacks: Pick<Transport, "onerror" | "onclose" | "onmessage"> = {
      onerror: (error) => this.onerror?.(error),
      onclose: () => this.onclose?.(),
      onmessage: (message, extra) => this.#filterMessage(message, extra),
    };
    Object.assign(inner, callbacks);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ("method" in message && "id" in message) {
      const { id } = message;
      this.#open.add(id);
      options?.requestSignal?.addEventListener("abort", () => this.#open.delete(id), { once: true });
      // Otherwise the caller would wait for its timeout.
      return this.#inner.send(message, { ...options, onRequestStreamEnd: () => this.#lose(id) });
    }
    if ("method" in message && message.method === "notifications/cancelled") this.#cancelRequest(message.params);
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #cancelRequest(params: unknown): void {
    const id = isObject(params) ? params.requestId : undefined;
    if (!this.#open.delete(id)) return;
    this.#cancelledIds.add(id);
    const [oldest] = this.#cancelledIds;
    if (this.#cancelledIds.size > TAKEN_BACK) this.#cancelledIds.delete(oldest);
  }

  #lose(id: RequestId): void {
    if (!this.#open.delete(id)) return;
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: LOST, message: LOST_WORDS } });
  }

  #filterMessage<Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo): void {
    if (!isObject(message)) this.#onDropped("a message that is no JSON object");
    else if ("method" in message) {
      const refusalReason = "id" in message ? getRefusalReason(String(message.method), message.params) : undefined;
      if (refusalReason !== undefined) this.#onDropped(refusalReason);
      this.onmessage?.(message, extra);
    } else if (this.#open.delete(message.id)) this.onmessage?.(message, extra);
    else if (!this.#cancelledIds.delete(message.id))
      this.#onDropped("an answer to a request that was not made, or was answered before");
  }
}

/** Reports a server request that the gateway does not support; the protocol's own error answers it. */
function getRefusalReason(method: string, params: unknown): string | undefined {
  if (method === "ping") return undefined;
  if (method !== "elicitation/create") return `the request ${sanitizeToolText(method, 100)}, which is refused`;
  return isObject(params) && params.mode === "url" ? "the request to open an address, which is refused" : undefined;
}
