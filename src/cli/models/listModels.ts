// `postel models`: lists every model that is served by name, its mode, and the upstreams that are down. Calls no model.

import type { ContextWindow, Prices } from "../../core/models/capabilities.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import type { ModelEntry } from "../../models/modelEntry.ts";
import type { UpstreamState } from "../../models/Upstream.ts";
import { buildEvidenceKey, describeModel, wireModel } from "../../server/routes/models.ts";
import { getTerminalWidth, renderTable } from "../output/table.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { describeUpstream } from "./upstreamStates.ts";
import { type ModelsFlags, withModels } from "./withModels.ts";

/** Resolves with the exit status: 0 even if upstreams are down, as only their models are missing. */
export function listModels(flags: ModelsFlags): Promise<number> {
  return withModels(flags, async (gateway, config) => {
    const [models, upstreams] = await surveyed(gateway);
    const aliases = config.aliases.filter(({ pattern }) => pattern.includes("*"));
    if (flags.json) {
      const data = models.map((entry) => wireModel(gateway, entry));
      writeText(`${JSON.stringify({ models: data, aliases, upstreams: upstreams.map(asJson) }, null, 2)}\n`);
      return 0;
    }
    if (models.length === 0) writeNote("No model is served by its name.");
    else
      writeText(
        renderTable({ heads: HEADS, rows: models.map((entry) => toTableRow(gateway, entry)) }, getTerminalWidth()),
      );
    for (const { pattern, model } of aliases) writeNote(`${pattern} stands for ${model}`);
    for (const state of upstreams) if (state.failure) writeNote(`${state.id}: ${describeUpstream(state)}`);
    return 0;
  });
}

/** In parallel, so that unresponsive upstreams delay the command only once. */
async function surveyed(gateway: GatewayServices): Promise<readonly [readonly ModelEntry[], readonly UpstreamState[]]> {
  const { directory, detector } = gateway;
  const { signal } = new AbortController();
  const [models, upstreams] = await Promise.all([directory.list(signal), directory.survey(signal)]);
  for (const entry of models) await detector.recall(buildEvidenceKey(entry));
  return [models, upstreams];
}

function asJson(state: UpstreamState): object {
  const { id, place: location, listed, failure } = state;
  return {
    ...{ id, place: location },
    ...(listed !== undefined && { listed }),
    ...(failure && { error: { code: failure.code, message: describeUpstream(state) } }),
  };
}

const HEADS = ["model", "upstream", "asked", "row", "context", "prices", "stands for"];

function toTableRow({ detector }: GatewayServices, entry: ModelEntry): readonly string[] {
  const { id, upstream, model = id } = entry;
  const { capabilities, window } = describeModel(detector, entry);
  const { tools, row, prices } = capabilities;
  return [id, upstream, tools, row, inTokens(window), prices ? inMoney(prices) : "", model === id ? "" : model];
}

function inTokens({ tokens, source }: ContextWindow): string {
  return source === "assumed" ? `${tokens} (assumed)` : String(tokens);
}

/** Prices of input and output tokens. */
function inMoney({ input, output }: Prices): string {
  return `${input}/${output}`;
}
