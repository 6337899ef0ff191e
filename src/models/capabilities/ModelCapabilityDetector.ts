// Resolves the capabilities of a model field by field, from the highest authority that states each. Calls no model.

import { setBounded } from "../../core/async/setBounded.ts";
import type { ToolMode } from "../../core/messages.ts";
import type {
  CapabilitySource,
  ModelCapabilities,
  ModelProfile,
  ObservedCapability,
} from "../../core/models/capabilities.ts";
import type { Learnable } from "../adaptation/Adaptation.ts";
import { ADAPTATIONS } from "../adaptation/adaptations.ts";
import { findBestMatch, MAX_NAME_CHARS, type Match, nameForms } from "./modelNames.ts";
import type { ObservedCapabilityCache } from "./ObservedCapabilityCache.ts";
import { DEFAULT_READING } from "./parsingProfile.ts";

export interface CapabilityQuery {
  /** The name as the caller wrote it. */
  readonly model: string;
  /** `upstream/model`: key of evidence. */
  readonly key: string;
  /** The mode that the request pins. */
  readonly pinned?: ToolMode | undefined;
}

export interface CapabilityKnowledge {
  /** The operator's profiles. They have precedence over evidence. */
  readonly operator: readonly ModelProfile[];
  /** The profiles of models.yaml. Evidence has precedence over them. */
  readonly shipped: readonly ModelProfile[];
  readonly evidence: Pick<ObservedCapabilityCache, "get" | "recall">;
}

/** Defaults of an unknown model: native mode, observed. Each field is what a current server of the wire does by default. */
const DEFAULTS: Fields = {
  tools: "native",
  toolChoice: ["auto", "none", "required", "named"],
  jsonSchema: "native",
  systemRole: "system",
  ...DEFAULT_READING,
  stream: "as-asked",
  onInvalid: "error",
  parse: "on",
  fractions: "refuse",
  quirks: [],
  sampling: {},
};

/** Models that are remembered: callers choose their names. */
const MAX_MODELS = 1_000;

/** Profiles of a model, and its last resolved capabilities. The result is valid as long as the evidence is the same. */
interface Known {
  readonly operator: Match<ModelProfile> | undefined;
  readonly shipped: Match<ModelProfile> | undefined;
  found?: {
    readonly query: CapabilityQuery;
    readonly evidence: readonly ObservedCapability[];
    readonly is: ModelCapabilities;
  };
}

export class ModelCapabilityDetector {
  readonly #knowledge: CapabilityKnowledge;
  /** By the name as a caller wrote it, in the order in which they were met. */
  readonly #profilesByModel = new Map<string, Known>();

  constructor(knowledge: CapabilityKnowledge) {
    this.#knowledge = knowledge;
  }

  /** Loads the evidence on first use of a model. Resolves when it is here, or after a short time. Undefined if there is no need to wait. */
  recall(key: string): Promise<void> | undefined {
    return this.#knowledge.evidence.recall(key);
  }

  /**
   * Resolves each field by itself: request, operator, evidence, probe, shipped profile, default. `row` is the pattern of the operator's
   * profile, else of the shipped one. Each call gets its own `source` object: it is the key for what the refusals of one run teach.
   */
  detect(query: CapabilityQuery): ModelCapabilities {
    const is = this.getCapabilities(query);
    return { ...is, source: { ...is.source } };
  }

  /** Like `detect`, but returns the same object while the evidence is unchanged. Not for sending requests. */
  getCapabilities(query: CapabilityQuery): ModelCapabilities {
    const known = this.#getKnown(query.model);
    const evidence = this.#knowledge.evidence.get(query.key);
    const { found } = known;
    const isSame = found?.evidence === evidence && found.query.key === query.key && found.query.pinned === query.pinned;
    const is = isSame ? found.is : mergeCapabilities(query, known, evidence);
    if (!isSame) known.found = { query, evidence, is };
    return is;
  }

  /** Returns true if the request or the operator fixed the tool mode: it is then never switched. */
  isPinned(query: CapabilityQuery): boolean {
    return query.pinned !== undefined || this.operatorRow(query.model)?.tools !== undefined;
  }

  /** Returns the operator's profile of a model; undefined if only a shipped profile matches. */
  operatorRow(model: string): ModelProfile | undefined {
    return this.#getKnown(model).operator?.row;
  }

  /** Returns the profiles whose patterns match a name, with the pattern. */
  getProfiles(model: string): Pick<Known, "operator" | "shipped"> {
    return this.#getKnown(model);
  }

  #getKnown(model: string): Known {
    const before = this.#profilesByModel.get(model);
    if (before) return before;
    const forms = nameForms(model);
    const { operator, shipped } = this.#knowledge;
    const known: Known = { operator: findBestMatch(operator, forms), shipped: findBestMatch(shipped, forms) };
    if (model.length <= MAX_NAME_CHARS)
      setBounded(this.#profilesByModel, { key: model, value: known, maxSize: MAX_MODELS });
    return known;
  }
}

function mergeCapabilities(
  { pinned }: CapabilityQuery,
  { operator, shipped }: Known,
  evidence: readonly ObservedCapability[],
): ModelCapabilities {
  const row = operator?.pattern ?? shipped?.pattern ?? "default";
  const base = resolve(row, [["shipped", shipped?.row]]);
  const probed = evidence.filter(({ probe }) => probe);
  const refusals = evidence.filter(({ probe }) => !probe);
  return resolve(row, [
    ["request", pinned && { tools: pinned }],
    ["operator", operator?.row],
    ["evidence", applyEvidence(base, refusals)],
    ["probe", applyEvidence(base, probed)],
    ["shipped", shipped?.row],
  ]);
}

type Fields = Omit<ModelCapabilities, "row" | "source">;
type Opinion = readonly [CapabilitySource, Partial<ModelProfile> | undefined];

/** Returns the changes that refusals or a server's own statement cause. Each builds on the lower authority and the earlier refusals. */
function applyEvidence(base: ModelCapabilities, evidence: readonly ObservedCapability[]): Partial<ModelProfile> {
  const learned: Partial<Learnable> = {};
  for (const { refused } of evidence) Object.assign(learned, ADAPTATIONS.get(refused)?.learn({ ...base, ...learned }));
  return learned;
}

function resolve(row: string, opinions: readonly Opinion[]): ModelCapabilities {
  const source: Record<string, CapabilitySource> = {};
  const pick = <Name extends keyof Fields>(name: Name): Fields[Name] => {
    const found = opinions.find(([, fields]) => fields?.[name] !== undefined);
    source[name] = found?.[0] ?? "default";
    return (found?.[1]?.[name] as Fields[Name] | undefined) ?? DEFAULTS[name];
  };
  return {
    row,
    tools: pick("tools"),
    toolChoice: pick("toolChoice"),
    jsonSchema: pick("jsonSchema"),
    systemRole: pick("systemRole"),
    formats: pick("formats"),
    emulate: pick("emulate"),
    quirks: pick("quirks"),
    sampling: pick("sampling"),
    wire: pick("wire"),
    stream: pick("stream"),
    onInvalid: pick("onInvalid"),
    parse: pick("parse"),
    fractions: pick("fractions"),
    tokenizesText: pick("tokenizesText"),
    prompt: pick("prompt"),
    nativePrompt: pick("nativePrompt"),
    firstEventMs: pick("firstEventMs"),
    contextTokens: pick("contextTokens"),
    prices: pick("prices"),
    reasoning: pickReasoning(opinions, source),
    source,
  };
}

/** Picks the one field whose parts may come from several authorities. Its source is the highest of them. */
function pickReasoning(opinions: readonly Opinion[], source: Record<string, CapabilitySource>): Fields["reasoning"] {
  const reasoningOpinions = opinions.filter(([, fields]) => fields?.reasoning !== undefined);
  source.reasoning = reasoningOpinions[0]?.[0] ?? "default";
  return Object.assign({}, DEFAULTS.reasoning, ...reasoningOpinions.map(([, fields]) => fields?.reasoning).reverse());
}
