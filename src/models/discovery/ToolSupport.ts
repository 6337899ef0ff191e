// Asks a server once if a model's chat template supports tools, since such servers drop tools silently. Uses only a negative answer.
import type { Clock } from "../../core/ports.ts";
import type { ObservedCapabilityWriter } from "../capabilities/ObservedCapabilityWriter.ts";
import { asArray, asObject } from "../looseJson.ts";
import { OncePerModel, type Outcome } from "./OncePerModel.ts";
import type { ServerInfoClient } from "./ServerInfoClient.ts";

export interface ToolSupportOptions {
  readonly questions: Pick<ServerInfoClient, "ask">;
  readonly evidence: Pick<ObservedCapabilityWriter, "write">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

export class ToolSupport {
  readonly #options: ToolSupportOptions;
  readonly #models: OncePerModel;

  constructor(options: ToolSupportOptions) {
    this.#options = options;
    this.#models = new OncePerModel((model) => this.#ask(model), options.clock);
  }

  /** See `OncePerModel.known`. */
  known(model: string, signal: AbortSignal): Promise<void> | undefined {
    return this.#models.known(model, signal);
  }

  /** llama.cpp first: it also answers `/api/show`, and states there for every model that it can only complete. */
  async #ask(model: string): Promise<Outcome> {
    const { questions } = this.#options;
    const query = `?${new URLSearchParams({ model, autoload: "false" })}`;
    const props = await questions.ask({ method: "GET", path: "/props", query });
    if (typeof props === "string") return props;
    const isProps = props.status === 200 && PROPS_FIELDS.some((field) => field in props.body);
    if (isProps) {
      const caps = asObject(props.body.chat_template_caps);
      if (caps?.supports_tools === false)
        this.#refuses(model, "GET /props: chat_template_caps.supports_tools is false");
      return "known";
    }
    const show = await questions.ask({ method: "POST", path: "/api/show", sent: { model } });
    if (typeof show === "string") return show;
    const capabilities = asArray(show.body.capabilities);
    if (show.status === 200 && capabilities.includes("completion") && !capabilities.includes("tools")) {
      this.#refuses(model, `POST /api/show: capabilities are ${capabilities.slice(0, 9).join(", ")}`);
    }
    return "known";
  }

  #refuses(model: string, said: string): void {
    const reason = `The server says that the model's template takes no tools (${said}).`;
    this.#options.evidence.write(model, { refused: "tools", reason, probe: true });
  }
}

/** Properties that distinguish a llama.cpp server from any other server that answers 200. */
const PROPS_FIELDS = ["chat_template_caps", "chat_template", "default_generation_settings", "total_slots"];
