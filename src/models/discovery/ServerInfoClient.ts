// Calls endpoints of a server outside the OpenAI wire, next to the `/v1` of its base URL.

import type { JsonObject } from "../../core/messages.ts";
import { OBSERVATION_TTL_MS } from "../../core/models/observedCapabilities.ts";
import type { Clock, Egress, RequestPurpose } from "../../core/ports.ts";
import { asObject, asString, parseJson } from "../looseJson.ts";
import { buildUpstreamHeaders } from "../request/RequestHeadCache.ts";
import { EventTimeout } from "../response/EventTimeout.ts";
import { readWholeBody } from "../response/readWholeBody.ts";
import type { WireServer } from "../wires/UpstreamWire.ts";

export interface ServerInfoClientOptions {
  readonly upstream: WireServer;
  readonly egress: Egress;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Answer of a server. `later`: it is still loading. `silent`: no readable answer. */
export type ServerAnswer = { readonly status: number; readonly body: JsonObject } | "later" | "silent";

interface Question {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Includes the question mark; empty for none. */
  readonly query?: string;
  readonly sent?: JsonObject;
}

const QUESTION_MS = 5_000;
const ANSWER_CHARS = 4_194_304;
const NOTHING_THERE: ServerAnswer = { status: 404, body: {} };

export class ServerInfoClient {
  readonly #options: ServerInfoClientOptions;
  /** Until when a way to ask is known not to be there. */
  readonly #missing = new Map<string, number>();

  constructor(options: ServerInfoClientOptions) {
    this.#options = options;
  }

  /** Waits at most five seconds. @throws PostelError if no answer arrives. */
  async ask({ method, path, query = "", sent }: Question): Promise<ServerAnswer> {
    const { upstream, egress, clock } = this.#options;
    if (clock.monotonic() < (this.#missing.get(path) ?? 0)) return NOTHING_THERE;
    const deadline = new EventTimeout(new AbortController().signal);
    try {
      deadline.start(QUESTION_MS, "answer about itself");
      const key = `${upstream.id}${path}`;
      const url = `${stripVersion(upstream.baseUrl)}${path}${query}`;
      const typed = sent && { "content-type": "application/json" };
      const headers = { accept: "application/json", ...typed, ...buildUpstreamHeaders(upstream) };
      const timers = { headersMs: QUESTION_MS };
      const purpose: RequestPurpose = { kind: "model-probe", key, run: "probe", repeatable: false, timers };
      const body = sent && JSON.stringify(sent);
      const response = await egress.send({ method, url, headers, body, purpose }, deadline.signal);
      const text = await readWholeBody(response, deadline, ANSWER_CHARS);
      if (response.loading) return "later";
      if (response.status >= 500) return "silent";
      const answer = asObject(parseJson(text)) ?? {};
      if (isNoRoute(response.status, answer)) this.#missing.set(path, clock.monotonic() + OBSERVATION_TTL_MS);
      return { status: response.status, body: answer };
    } finally {
      deadline.dispose();
    }
  }
}

function stripVersion(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, "").replace(/\/v1$/, "")}`;
}

/** Ollama answers 404 for a model that it lacks, too: `model 'x' not found`. */
function isNoRoute(status: number, body: JsonObject): boolean {
  const words = asString(body.error) ?? "";
  return (status === 404 || status === 405 || status === 501) && !/\bmodel\b.*\bnot found\b/is.test(words);
}
