// Context window of each model as its server states it. Asks each server once, when the value is first needed.

import { setBounded } from "../../core/async/setBounded.ts";
import type { Clock } from "../../core/ports.ts";
import { asObject, asObjects, asTokenCount } from "../looseJson.ts";
import { OncePerModel, type Outcome } from "./OncePerModel.ts";
import type { ServerInfoClient } from "./ServerInfoClient.ts";

/** Context window that a server states for one model: tokens of prompt and answer together, or undefined. */
export interface ModelWindow {
  /** Returns the value known so far, without a wait. */
  said(): number | undefined;
  /** Asks if that was not done before, and waits for a second at most. Never rejects. */
  ask(signal: AbortSignal): Promise<number | undefined>;
}

export interface ContextWindowsOptions {
  /** Absent if servers of the wire have no other endpoints. */
  readonly questions?: Pick<ServerInfoClient, "ask"> | undefined;
  /** Returns the context window in the server's list of models. */
  readonly listed: (model: string) => Promise<number | undefined>;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/** Keys are model names that callers choose. */
const MAX_MODELS = 1_000;

export class ContextWindows {
  readonly #options: ContextWindowsOptions;
  readonly #models: OncePerModel;
  readonly #serverTokens = new Map<string, number>();

  constructor(options: ContextWindowsOptions) {
    this.#options = options;
    this.#models = new OncePerModel((model) => this.#ask(model), options.clock);
  }

  of(model: string): ModelWindow {
    const said = () => this.#serverTokens.get(model);
    const ask = async (signal: AbortSignal) => {
      await this.#models.known(model, signal);
      return said();
    };
    return { said, ask };
  }

  /**
   * llama.cpp first: its list has the trained context and not the configured one. Ollama last: it reports only loaded
   * models.
   */
  async #ask(model: string): Promise<Outcome> {
    const { questions, listed } = this.#options;
    const query = `?${new URLSearchParams({ model, autoload: "false" })}`;
    const props = await questions?.ask({ method: "GET", path: "/props", query });
    if (props === "later") return props;
    const started = typeof props === "object" ? asObject(props.body.default_generation_settings)?.n_ctx : undefined;
    const tokens = asTokenCount(started) ?? (await listed(model).catch(() => undefined)) ?? (await this.#loaded(model));
    if (tokens === undefined) return props === "silent" ? "silent" : "known";
    setBounded(this.#serverTokens, { key: model, value: tokens, maxSize: MAX_MODELS });
    return "known";
  }

  async #loaded(model: string): Promise<number | undefined> {
    const running = await this.#options.questions?.ask({ method: "GET", path: "/api/ps" });
    if (typeof running !== "object") return undefined;
    const names = new Set([model, `${model}:latest`]);
    const entry = asObjects(running.body.models).find(({ model: id, name }) =>
      [id, name].some((one) => typeof one === "string" && names.has(one)),
    );
    return asTokenCount(entry?.context_length);
  }
}
