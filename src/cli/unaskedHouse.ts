// A house in which no model is asked: what would be sent to one first is kept instead. Knows no command.
import { compose, type House } from "../compose.ts";
import { type Config, RECORDED_BASE_URL, type UpstreamConfig } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { Egress, ProcessPort } from "../core/ports.ts";
import { systemClock } from "../network/system.ts";

export interface Unasked {
  readonly house: House;
  /** What `work` would have sent to a model first: method, address and body; undefined where it would have sent nothing. */
  first(work: () => Promise<void>): Promise<string | undefined>;
}

const UNASKED = new PostelError(failure("cancelled", "Nothing is asked here."));

/** Nothing leaves it: models, services and lists of models all stay unasked. */
export async function unaskedHouse(config: Config): Promise<Unasked> {
  let kept: string | undefined;
  const egress: Egress = {
    async send({ method, url, body = "", purpose }) {
      if (purpose.kind === "model") kept ??= `${method} ${url}\n${indented(body)}`;
      throw UNASKED;
    },
  };
  const processes: ProcessPort = { run: () => Promise.reject(UNASKED) };
  const upstreams = config.upstreams.map(withoutRecording);
  const house = await compose(
    { ...config, upstreams },
    {
      observers: [],
      replay: { egress, processes, clock: systemClock, random: () => 0.5 },
    },
  );
  return {
    house,
    async first(work) {
      kept = undefined;
      await work();
      return kept && house.redact(kept);
    },
  };
}

/** A recorded model would play its recording. */
function withoutRecording(upstream: UpstreamConfig): UpstreamConfig {
  if (upstream.type === "server") return upstream;
  const { id } = upstream;
  return {
    type: "server",
    wire: "openai",
    id,
    baseUrl: RECORDED_BASE_URL,
    headers: {},
    models: ["*"],
    parse: "on",
  };
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
