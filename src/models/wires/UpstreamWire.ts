// How a server is spoken to: the chat wire's body in its language, and its answer in the chat wire's. Knows no connection and no time.
import type { AddressIssue, ServerAddress, UpstreamConfig } from "../../core/config/configuration.ts";
import type { JsonObject } from "../../core/messages.ts";

/** What of an upstream's configuration a wire may need. */
export type WireServer = Pick<
  Extract<UpstreamConfig, { type: "server" }>,
  "id" | "wire" | "baseUrl" | "apiKey" | "headers" | "deployment" | "apiVersion"
>;

/** One model call as the server takes it. */
export interface WireRequest {
  /** Behind the base URL, query and all; begins with a slash. */
  readonly path: string;
  readonly body: JsonObject;
  /** Fields of the chat body that the wire has no word for and an answer can do without, in the order of the alphabet. */
  readonly dropped: readonly string[];
}

/**
 * Reads one answer of a server. An error object of the usual form, `{"error": …}`, never comes here: whoever holds the reader knows
 * what it means.
 */
export interface WireAnswer {
  /**
   * What one event, or the whole document of an answer that is not streamed, says as chunks of the chat wire, which read in order
   * say the same. Empty for what says nothing.
   */
  read(value: JsonObject): readonly JsonObject[];
  /** True once the server has said that this was all; false to the end where its wire has no word for it. */
  readonly done: boolean;
  /** Whether a document is an answer of this wire, or else something that stands there by mistake. */
  isAnswer(document: JsonObject): boolean;
}

/** Requests that are no conversation and go up as they came, by their path in the chat wire's API. */
export type PassedPath = "/embeddings" | "/completions" | "/rerank";

/** There and back. */
export interface Translation {
  /**
   * The request for a body of the chat wire, as `chatRequestBody` gives it.
   * @throws PostelError `unsupported_parameter` with `details.param` for what would change the answer and cannot be said.
   */
  ask(body: JsonObject, server: WireServer): WireRequest;
  /** A reader for one answer; absent where answers are the chat wire's own. */
  readonly answer?: (() => WireAnswer) | undefined;
}

export interface UpstreamWire {
  /** How configuration names it. */
  readonly id: string;
  /** What the vendor calls it, for messages: `an OpenAI API`. */
  readonly name: string;
  /** The header that carries the key, and whatever every request must say. Lower-case names; the operator's own win. */
  headers(server: Pick<WireServer, "apiKey">): Readonly<Record<string, string>>;
  /** What no server of this wire takes, whatever the model: ids of `QUIRKS`, applied to every body before `ask`. */
  readonly quirks?: readonly string[] | undefined;
  /** Loaded at the first request where there is much of it: most gateways speak one wire. */
  readonly translation: Translation | (() => Promise<Translation>);
  /** Where a request goes that is passed through, and as which model; absent where the server has none of them in the chat wire's form. */
  readonly passes?:
    | ((path: PassedPath, model: string, server: WireServer) => { readonly path: string; readonly model: string })
    | undefined;
  /** The upstream's list of models: its path behind the base URL; the entries as the chat wire has them, with `id` at the least. */
  readonly list: { readonly path: string; entries(document: JsonObject): readonly JsonObject[] | undefined };
  /** The base URL of a request that this wire makes; undefined for a URL that it never makes. */
  baseOf(url: string): string | undefined;
  /** What else of the configuration stands in such a URL; absent where nothing does. */
  readonly addressOf?: ((url: string) => Pick<ServerAddress, "deployment" | "apiVersion">) | undefined;
  /** What is wrong with such an address; absent where the wire needs no more than a base URL, and has no place for more. */
  readonly addressFault?: ((address: ServerAddress) => AddressIssue | undefined) | undefined;
}
