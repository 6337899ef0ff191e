// `postel models`: every model that is served by its name, how it is asked, and which upstreams are down. Asks no model.
import type { House } from "../../compose.ts";
import type { ContextWindow, Prices } from "../../core/capabilities.ts";
import type { ModelEntry, UpstreamState } from "../../models/ModelDirectory.ts";
import { evidenceKey, factsOf, wireModel } from "../../server/routes/models.ts";
import { writeNote, writeText } from "../terminal.ts";
import { describeUpstream } from "../upstreamStates.ts";
import { type ModelsFlags, withModels } from "./modelsHouse.ts";
import { inTable, terminalWidth } from "./table.ts";

/** Resolves with the exit status: 0 also where upstreams are down, since what those would list is all that is missing. */
export function listModels(flags: ModelsFlags): Promise<number> {
  return withModels(flags, async (house, config) => {
    const [models, upstreams] = await surveyed(house);
    const aliases = config.aliases.filter(({ pattern }) => pattern.includes("*"));
    if (flags.json) {
      const data = models.map((entry) => wireModel(house, entry));
      writeText(`${JSON.stringify({ models: data, aliases, upstreams: upstreams.map(asJson) }, null, 2)}\n`);
      return 0;
    }
    if (models.length === 0) writeNote("No model is served by its name.");
    else writeText(inTable({ heads: HEADS, rows: models.map((entry) => rowOf(house, entry)) }, terminalWidth()));
    for (const { pattern, model } of aliases) writeNote(`${pattern} stands for ${model}`);
    for (const state of upstreams) if (state.failure) writeNote(`${state.id}: ${describeUpstream(state)}`);
    return 0;
  });
}

/** At the same time, so that one that does not answer is waited for once. */
async function surveyed(house: House): Promise<readonly [readonly ModelEntry[], readonly UpstreamState[]]> {
  const { directory, detector } = house;
  const { signal } = new AbortController();
  const [models, upstreams] = await Promise.all([directory.list(signal), directory.survey(signal)]);
  for (const entry of models) await detector.recall(evidenceKey(entry));
  return [models, upstreams];
}

function asJson(state: UpstreamState): object {
  const { id, place, listed, failure } = state;
  return {
    ...{ id, place },
    ...(listed !== undefined && { listed }),
    ...(failure && { error: { code: failure.code, message: describeUpstream(state) } }),
  };
}

const HEADS = ["model", "upstream", "asked", "row", "context", "prices", "stands for"];

function rowOf({ detector }: House, entry: ModelEntry): readonly string[] {
  const { id, upstream, model = id } = entry;
  const { capabilities, window } = factsOf(detector, entry);
  const { tools, row, prices } = capabilities;
  return [id, upstream, tools, row, inTokens(window), prices ? inMoney(prices) : "", model === id ? "" : model];
}

function inTokens({ tokens, source }: ContextWindow): string {
  return source === "assumed" ? `${tokens} (assumed)` : String(tokens);
}

/** In and out. */
function inMoney({ input, output }: Prices): string {
  return `${input}/${output}`;
}
