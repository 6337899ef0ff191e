// Asks a server that can tell it whether a model's chat template takes tools, once, before they are dropped in silence. Believes only a no.

import { EVIDENCE_GOOD_MS } from "../core/evidence.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Clock, Egress } from "../core/ports.ts";
import { setYoungest } from "../core/setYoungest.ts";
import { atMost } from "./atMost.ts";
import { EventDeadline } from "./EventDeadline.ts";
import type { EvidenceWriter } from "./EvidenceWriter.ts";
import { readWholeBody } from "./readWholeBody.ts";
import { upstreamHeaders } from "./upstreamHeaders.ts";
import { jsonIn, listIn, objectIn, textIn } from "./wireJson.ts";
import type { WireServer } from "./wires/UpstreamWire.ts";

export interface ToolSupportOptions {
  readonly upstream: WireServer;
  readonly egress: Egress;
  readonly evidence: Pick<EvidenceWriter, "write">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/** For so long a request waits for the answer; what comes later serves the next. Milliseconds. */
const WAIT_MS = 1_000;
const QUESTION_MS = 5_000;
/** A server that gave no answer is left in peace for so long. */
const PAUSE_MS = 60_000;
const ANSWER_CHARS = 4_194_304;
/** Until the question is settled. */
const PENDING = Number.POSITIVE_INFINITY;
/** Keys are model names that callers choose. */
const MAX_MODELS = 1_000;

/** What a server said; `later`: nothing yet, it loads. `silent`: nothing that can be read. */
type Answer = { readonly status: number; readonly body: JsonObject } | "later" | "silent";
type Outcome = "known" | "later" | "silent";

export class ToolSupport {
  readonly #options: ToolSupportOptions;
  /** Least recently asked first. */
  readonly #asked = new Map<string, { readonly settled: Promise<void>; goodUntil: number }>();
  /** Until when a way to ask is known not to be there. */
  readonly #missing = new Map<string, number>();

  constructor(options: ToolSupportOptions) {
    this.#options = options;
  }

  /** Resolves once it is known of the model, or after a second; never rejects. Undefined where nothing is waited for. */
  known(model: string, signal: AbortSignal): Promise<void> | undefined {
    const now = this.#options.clock.monotonic();
    const asked = this.#asked.get(model);
    const current = asked && now < asked.goodUntil ? asked : undefined;
    if (current && current.goodUntil !== PENDING) return undefined;
    return atMost(current?.settled ?? this.#begin(model), WAIT_MS, { clock: this.#options.clock, signal });
  }

  #begin(model: string): Promise<void> {
    const { clock } = this.#options;
    const question = this.#ask(model).catch((): Outcome => "silent");
    const entry = {
      goodUntil: PENDING,
      settled: question.then((outcome) => {
        entry.goodUntil = clock.monotonic() + LIFETIMES[outcome];
      }),
    };
    setYoungest(this.#asked, { key: model, value: entry, most: MAX_MODELS });
    return entry.settled;
  }

  /** llama.cpp first: it also answers `/api/show`, and says there of every model that it can do nothing but complete. */
  async #ask(model: string): Promise<Outcome> {
    const query = new URLSearchParams({ model, autoload: "false" });
    const props = await this.#get("GET", "/props", `?${query}`);
    if (typeof props === "string") return props;
    const isProps = props.status === 200 && PROPS_FIELDS.some((field) => field in props.body);
    if (isProps) {
      const caps = objectIn(props.body.chat_template_caps);
      if (caps?.supports_tools === false)
        this.#refuses(model, "GET /props: chat_template_caps.supports_tools is false");
      return "known";
    }
    const show = await this.#get("POST", "/api/show", "", { model });
    if (typeof show === "string") return show;
    const capabilities = listIn(show.body.capabilities);
    if (show.status === 200 && capabilities.includes("completion") && !capabilities.includes("tools")) {
      this.#refuses(model, `POST /api/show: capabilities are ${capabilities.slice(0, 9).join(", ")}`);
    }
    return "known";
  }

  #refuses(model: string, said: string): void {
    const reason = `The server says that the model's template takes no tools (${said}).`;
    this.#options.evidence.write(model, { refused: "tools", reason, probe: true });
  }

  async #get(method: "GET" | "POST", path: string, query: string, sent?: JsonObject): Promise<Answer> {
    const { upstream, egress, clock } = this.#options;
    if (clock.monotonic() < (this.#missing.get(path) ?? 0)) return NOTHING_THERE;
    const deadline = new EventDeadline(new AbortController().signal);
    try {
      deadline.start(QUESTION_MS, "answer about its tools");
      const key = `${upstream.id}${path}`;
      const response = await egress.send(
        {
          method,
          url: `${rootOf(upstream.baseUrl)}${path}${query}`,
          headers: {
            accept: "application/json",
            ...(sent && { "content-type": "application/json" }),
            ...upstreamHeaders(upstream),
          },
          ...(sent && { body: JSON.stringify(sent) }),
          purpose: { kind: "model-probe", key, run: "probe", repeatable: false, timers: { headersMs: QUESTION_MS } },
        },
        deadline.signal,
      );
      const text = await readWholeBody(response, deadline, ANSWER_CHARS);
      if (response.loading) return "later";
      if (response.status >= 500) return "silent";
      const body = objectIn(jsonIn(text)) ?? {};
      if (isNoRoute(response.status, body)) this.#missing.set(path, clock.monotonic() + EVIDENCE_GOOD_MS);
      return { status: response.status, body };
    } finally {
      deadline.dispose();
    }
  }
}

const LIFETIMES: Readonly<Record<Outcome, number>> = { known: EVIDENCE_GOOD_MS, later: 0, silent: PAUSE_MS };
const NOTHING_THERE: Answer = { status: 404, body: {} };
/** By which the properties of a llama.cpp server are told from whatever else answers 200. */
const PROPS_FIELDS = ["chat_template_caps", "chat_template", "default_generation_settings", "total_slots"];

/** Where a server has what is its own and not of the OpenAI wire: beside the `/v1` of its base URL. */
function rootOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, "").replace(/\/v1$/, "")}`;
}

/** Ollama answers 404 for a model that it lacks, too: `model 'x' not found`. */
function isNoRoute(status: number, body: JsonObject): boolean {
  const words = textIn(body.error) ?? "";
  return (status === 404 || status === 405 || status === 501) && !/\bmodel\b.*\bnot found\b/is.test(words);
}
