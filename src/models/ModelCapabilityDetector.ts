// What a model can do, field by field, from the highest authority that says it. Knows rows and evidence; asks no model.
import type { CapabilityRow, CapabilitySource, Evidence, ModelCapabilities } from "../core/capabilities.ts";
import type { ToolMode } from "../core/messages.ts";
import type { EvidenceCache } from "./EvidenceCache.ts";
import { type Learnable, MENDS } from "./mends.ts";
import { bestMatch, nameForms } from "./modelNames.ts";
import { DEFAULT_READING } from "./modelReading.ts";

export interface CapabilityQuery {
  /** The name as the caller wrote it. */
  readonly model: string;
  /** `upstream/model`: what evidence counts by. */
  readonly key: string;
  /** The mode that the request pins. */
  readonly pinned?: ToolMode | undefined;
}

export interface CapabilityKnowledge {
  /** The operator's rows, above evidence. */
  readonly operator: readonly CapabilityRow[];
  /** The rows of models.yaml, below evidence. */
  readonly shipped: readonly CapabilityRow[];
  readonly evidence: Pick<EvidenceCache, "get" | "recall">;
}

/** Of a model that nobody knows: native, watched. Each field is what a current server of the wire does if it is left alone. */
const DEFAULTS: Fields = {
  tools: "native",
  toolChoice: ["auto", "none", "required", "named"],
  jsonSchema: "native",
  systemRole: "system",
  ...DEFAULT_READING,
  stream: "always",
  onInvalid: "error",
  parse: "on",
  fractions: "refuse",
  quirks: [],
  sampling: {},
};

export class ModelCapabilityDetector {
  readonly #knowledge: CapabilityKnowledge;

  constructor(knowledge: CapabilityKnowledge) {
    this.#knowledge = knowledge;
  }

  /** For the first sight of a model: resolves once what was learnt of it is known here, or soon. Undefined where nothing is waited for. */
  recall(key: string): Promise<void> | undefined {
    return this.#knowledge.evidence.recall(key);
  }

  /** Each field by itself: request, operator, evidence, probe, shipped row, default. `row` is the operator's pattern, else the shipped one. */
  detect(query: CapabilityQuery): ModelCapabilities {
    const forms = nameForms(query.model);
    const operator = bestMatch(this.#knowledge.operator, forms);
    const shipped = bestMatch(this.#knowledge.shipped, forms);
    const row = operator?.pattern ?? shipped?.pattern ?? "default";
    const below = resolve(row, [["shipped", shipped?.row]]);
    const evidence = this.#knowledge.evidence.get(query.key);
    const probed = evidence.filter(({ probe }) => probe);
    const seen = evidence.filter(({ probe }) => !probe);
    return resolve(row, [
      ["request", query.pinned && { tools: query.pinned }],
      ["operator", operator?.row],
      ["evidence", learnt(below, seen)],
      ["probe", learnt(below, probed)],
      ["shipped", shipped?.row],
    ]);
  }

  /** True where the request or the operator fixed the tool mode: it is then never switched. */
  isPinned(query: CapabilityQuery): boolean {
    return query.pinned !== undefined || this.operatorRow(query.model)?.tools !== undefined;
  }

  /** What the operator says of a model; absent where only the shipped rows know it. */
  operatorRow(model: string): CapabilityRow | undefined {
    return bestMatch(this.#knowledge.operator, nameForms(model))?.row;
  }
}

type Fields = Omit<ModelCapabilities, "row" | "source">;
type Opinion = readonly [CapabilitySource, Partial<CapabilityRow> | undefined];

/** What refusals, or a server's own word, have taught: each changes what lower authority and the refusals before it left. */
function learnt(below: ModelCapabilities, evidence: readonly Evidence[]): Partial<CapabilityRow> {
  const changes: Partial<Learnable> = {};
  for (const { refused } of evidence) Object.assign(changes, MENDS.get(refused)?.learn({ ...below, ...changes }));
  return changes;
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
    reasoning: pickReasoning(opinions, source),
    source,
  };
}

/** The one field whose parts may come from several authorities; its source is the highest of them. */
function pickReasoning(opinions: readonly Opinion[], source: Record<string, CapabilitySource>): Fields["reasoning"] {
  const said = opinions.filter(([, fields]) => fields?.reasoning !== undefined);
  source.reasoning = said[0]?.[0] ?? "default";
  return Object.assign({}, DEFAULTS.reasoning, ...said.map(([, fields]) => fields?.reasoning).reverse());
}
