// `postel models NAME`: shows the capabilities of a model with their sources: profile, operator, observation. Calls no model.

import { suggestName } from "../../config/load/suggestName.ts";
import type { Config } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonValue, ToolMode } from "../../core/messages.ts";
import type {
  CapabilitySource,
  ContextWindow,
  ModelCapabilities,
  ObservedCapability,
  Prices,
} from "../../core/models/capabilities.ts";
import { OBSERVATION_TTL_MS } from "../../core/models/observedCapabilities.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import type { ModelEntry } from "../../models/modelEntry.ts";
import { QUIRKS } from "../../models/request/quirks.ts";
import { buildEvidenceKey, describeModel, findModel, wireModel } from "../../server/routes/models.ts";
import { formatDuration, formatTime } from "../output/format.ts";
import { type Fact, getTerminalWidth, renderFacts, renderTable } from "../output/table.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { describeUpstream } from "./upstreamStates.ts";
import { type ModelsFlags, withModels } from "./withModels.ts";

/** Resolves with the exit status. @throws PostelError `model_not_found`, with names that are near. */
export function showModel(name: string, flags: ModelsFlags): Promise<number> {
  return withModels(flags, async (gateway, config) => {
    const { signal } = new AbortController();
    const [entry, states] = await Promise.all([
      findModel(gateway, name, signal),
      // In parallel, so that an unresponsive upstream delays the command only once.
      gateway.directory.survey(signal),
    ]);
    const listed = [...states.flatMap(({ models }) => models), ...config.aliases.map(({ pattern }) => pattern)];
    const down = states
      .filter(({ id, failure: reason }) => reason && (!entry || id === entry.upstream))
      .map(describeUpstream);
    if (!entry) throw unserved(name, listed, down);
    const entryDetails = await describeEntry(gateway, entry, config);
    writeText(
      flags.json
        ? `${JSON.stringify(asJson(gateway, entryDetails), null, 2)}\n`
        : inWords(entryDetails, gateway.clock.now()),
    );
    for (const line of down) writeNote(line);
    if (down.length === 0 && !listed.includes(entry.model ?? name)) {
      writeNote(
        `${entry.upstream} does not list this name${suggestEntry(name, listed)}, and is asked for it all the same.`,
      );
    }
    return 0;
  });
}

function unserved(name: string, listed: readonly string[], down: readonly string[]): PostelError {
  const message = `No upstream serves the model \`${name.slice(0, 256)}\`${suggestEntry(name, listed)}. \`postel models\` lists what is served.`;
  return new PostelError(createFailure("model_not_found", [message, ...down].join("\n"), { param: "model" }));
}

/** Listed names that were probably meant. */
function suggestEntry(name: string, listed: readonly string[]): string {
  const part = name.toLowerCase();
  const holding = listed.filter((one) => one.toLowerCase().includes(part)).slice(0, MOST_NEAR);
  return holding.length > 0 ? ` (near it: ${holding.join(", ")})` : suggestName(name, listed);
}

const MOST_NEAR = 5;

interface Shown {
  readonly entry: ModelEntry;
  readonly capabilities: ModelCapabilities;
  readonly window: ContextWindow;
  readonly rows: readonly { readonly from: "operator" | "shipped"; readonly pattern: string; readonly why: string }[];
  readonly evidence: readonly ObservedCapability[];
}

async function describeEntry({ detector, store }: GatewayServices, entry: ModelEntry, config: Config): Promise<Shown> {
  const { operator, shipped } = detector.getProfiles(entry.model ?? entry.id);
  const rows = [{ from: "operator", ...operator } as const, { from: "shipped", ...shipped } as const];
  return {
    entry,
    ...describeModel(detector, entry),
    rows: rows.flatMap(({ from, pattern, row }) => (pattern && row ? [{ from, pattern, why: row.why }] : [])),
    evidence: config.store.file === undefined ? [] : await store.evidence.get(buildEvidenceKey(entry)),
  };
}

function asJson(gateway: GatewayServices, { entry, capabilities, rows, evidence }: Shown): object {
  const model = wireModel(gateway, entry);
  return {
    ...model,
    capabilities: Object.fromEntries(
      listCapabilities(capabilities).map(({ name, value, source }) => [name, { value, source }]),
    ),
    rows: rows.map((row) => ({ ...row })),
    quirks: capabilities.quirks.map((id) => ({ id, why: QUIRKS.get(id)?.source ?? "" })),
    evidence: evidence.map(({ refused, reason, at, probe = false }) => {
      return { refused, reason, at, good_until: at + OBSERVATION_TTL_MS, probe };
    }),
  };
}

function inWords({ entry, capabilities, window, rows, evidence }: Shown, now: number): string {
  const { id, upstream, model = id, description } = entry;
  const facts: readonly Fact[] = [
    ["model", id],
    ["stands for", model === id ? undefined : model],
    ["upstream", upstream],
    ["description", description],
    ["asked", ASKED[capabilities.tools]],
    ["context", `${window.tokens} tokens (${FROM[window.source]})`],
    ["prices", capabilities.prices && inMoney(capabilities.prices)],
    ...rows.map(({ from, pattern, why: reason }): Fact => [FROM[from], `${pattern}: ${reason}`]),
    ["row", rows.length > 0 ? undefined : "none has this name: it is asked as a model that nobody knows"],
  ];
  const values = listCapabilities(capabilities).map(({ name, value, source }) => [
    name,
    inOneWord(value),
    FROM[source],
  ]);
  const parts = [
    renderFacts(facts),
    renderTable({ heads: ["capability", "value", "from"], rows: values }, getTerminalWidth()),
    renderFacts(capabilities.quirks.map((quirk) => [quirk, QUIRKS.get(quirk)?.source])),
    renderFacts(evidence.map((one) => toFact(one, now))),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

const ASKED: Readonly<Record<ToolMode, string>> = {
  native: "by the upstream's own tools (native)",
  text: "in text: its tools stand in the prompt, its calls are read from its words",
};

/** Sources of a fact, for a human reader. */
const FROM: Readonly<Record<ContextWindow["source"], string>> = {
  request: "the request",
  operator: "operator's row",
  evidence: "learnt from a refusal",
  probe: "server's own word",
  server: "server's own word",
  shipped: "shipped row",
  default: "default",
  assumed: "assumed: neither a row nor the server says it",
};

function inMoney({ input, output, cachedInput }: Prices): string {
  const cached = cachedInput === undefined ? "" : `, ${cachedInput} for what was cached`;
  return `${input} in, ${output} out a million tokens${cached}`;
}

interface ShownCapability {
  /** Name as in model profiles. */
  readonly name: string;
  readonly value: JsonValue;
  readonly source: CapabilitySource;
}

/** Capabilities that have a value, in the order of model profiles. */
function listCapabilities(capabilities: ModelCapabilities): readonly ShownCapability[] {
  const { row: _, source: sources, ...fields } = capabilities;
  return Object.entries(fields).flatMap(([field, value]) => {
    const name = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // A capability is plain JSON, and its own fields may be absent.
    return value === undefined ? [] : [{ name, value: value as JsonValue, source: sources[field] ?? "default" }];
  });
}

function inOneWord(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The refused feature, how long the observation counts, and the upstream's message. */
function toFact({ refused, reason, at, probe }: ObservedCapability, now: number): Fact {
  const explanation = probe ? "said by the server" : "refused";
  const remaining = formatDuration(at + OBSERVATION_TTL_MS - now);
  return [refused, `${explanation} ${formatTime(at)}, counts for ${remaining} more: ${reason}`];
}
