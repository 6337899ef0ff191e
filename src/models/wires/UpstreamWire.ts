// Type of an upstream wire: converts a chat body to the server's protocol, and its answer to chat chunks.
import type { AddressIssue, ServerAddress, UpstreamConfig } from "../../core/config/configuration.ts";
import type { JsonObject } from "../../core/messages.ts";

/** Fields of an upstream's configuration that a wire may need. */
export type WireServer = Pick<
  Extract<UpstreamConfig, { type: "server" }>,
  "id" | "wire" | "baseUrl" | "apiKey" | "headers" | "deployment" | "apiVersion"
>;

/** One model call as the server takes it. */
export interface WireRequest {
  /** Path after the base URL, with the query; begins with a slash. */
  readonly path: string;
  readonly body: JsonObject;
  /** Fields of the chat body that the wire cannot express and an answer can do without, in alphabetical order. */
  readonly dropped: readonly string[];
}

/** Reads one answer of a server. The caller handles error objects of the usual form, `{"error": …}`, itself. */
export interface WireAnswer {
  /** Converts one event, or the complete document of a non-streaming answer, to chat chunks. Empty if it has no content. */
  read(value: JsonObject): readonly JsonObject[];
  /** True once the server has marked the end; always false if its wire has no end marker. */
  readonly done: boolean;
  /** Returns true if the document is an answer of this wire. */
  isAnswer(document: JsonObject): boolean;
}

/** Paths, in the chat wire's API, of requests that are no conversation and are sent unchanged. */
export type PassedPath = "/embeddings" | "/completions" | "/rerank";

/** There and back. */
export interface Translation {
  /**
   * Converts a body of the chat wire, as `chatRequestBody` builds it, to a request.
   * @throws PostelError `unsupported_parameter` with `details.param` for a field that would change the answer and cannot be expressed.
   */
  ask(body: JsonObject, server: WireServer): WireRequest;
  /** Creates a reader for one answer; absent if answers are in the chat wire. */
  readonly answer?: (() => WireAnswer) | undefined;
}

export interface UpstreamWire {
  /** Name in the configuration. */
  readonly id: string;
  /** Name for messages, as the vendor spells it: `an OpenAI API`. */
  readonly name: string;
  /** Returns the header with the key, and others that every request needs. Lower-case names; the operator's own have precedence. */
  headers(server: Pick<WireServer, "apiKey">): Readonly<Record<string, string>>;
  /** Quirks that apply to every model of this wire: ids of `QUIRKS`, applied to every body before `ask`. */
  readonly quirks?: readonly string[] | undefined;
  /** Loaded at the first request if it is large: most gateways use one wire. */
  readonly translation: Translation | (() => Promise<Translation>);
  /** Returns path and model name of a pass-through request; absent if the server has no such endpoint in the chat wire's form. */
  readonly passes?:
    | ((path: PassedPath, model: string, server: WireServer) => { readonly path: string; readonly model: string })
    | undefined;
  /** The upstream's list of models: its path after the base URL, and the entries in the form of the chat wire, at least with `id`. */
  readonly list: { readonly path: string; entries(document: JsonObject): readonly JsonObject[] | undefined };
  /** The base URL of a request that this wire makes; undefined for a URL that it never makes. */
  getBaseUrl(url: string): string | undefined;
  /** Reads other configuration fields from the URL of a request; absent if it contains none. */
  readonly addressOf?: ((url: string) => Pick<ServerAddress, "deployment" | "apiVersion">) | undefined;
  /** Returns the issue of an invalid address; absent if the wire needs only a base URL and allows no other field. */
  readonly addressFault?: ((address: ServerAddress) => AddressIssue | undefined) | undefined;
}
