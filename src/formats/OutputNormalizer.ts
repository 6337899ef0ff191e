// A final answer in the form that was asked for: text as it is, or the one JSON value that it holds. Knows no call format.
import type { JsonValue } from "../core/messages.ts";
import type { OutputFormat } from "../core/requests.ts";
import { decodeJson } from "./decoders/decodeJson.ts";
import { balancedRegions, fencedBodies } from "./decoders/jsonRegions.ts";
import { isStrictJson } from "./decoders/jsonSpans.ts";
import { SchemaCheck } from "./fitting/SchemaCheck.ts";

export type NormalizedOutput =
  | {
      readonly type: "ok";
      /** For text the text itself; else strict JSON, verbatim where the model wrote strict JSON. */
      readonly text: string;
      /** `fence` or `surrounding-text` for what was left out around the JSON, then what was mended in it. */
      readonly repairs: readonly string[];
    }
  /** `reason` is for the model that is asked again and for the caller: what failed, and where. */
  | { readonly type: "invalid"; readonly reason: string };

interface Candidate {
  readonly text: string;
  readonly repairs: readonly string[];
}

/** UTF-16 units of a reason, which may quote names of the schema. */
const REASON = 400;

export class OutputNormalizer {
  readonly #output: OutputFormat;
  readonly #schema: SchemaCheck | undefined;

  constructor(output: OutputFormat) {
    this.#output = output;
    this.#schema = output.type === "json_schema" ? new SchemaCheck(output.schema) : undefined;
  }

  /**
   * JSON is looked for, in this order, as the whole text, in a fence, and between brackets in prose; the first of these places
   * where exactly one value fits gives the answer. Two values that both fit are no answer. Never throws.
   */
  normalize(text: string): NormalizedOutput {
    if (this.#output.type === "text") return { type: "ok", text, repairs: [] };
    let reason: string | undefined;
    for (const candidates of places(text)) {
      const found = this.#choose(candidates);
      if (found?.type === "ok") return found;
      reason ??= found?.reason;
    }
    return { type: "invalid", reason: (reason ?? "the answer holds no complete JSON value").slice(0, REASON) };
  }

  #choose(candidates: readonly Candidate[]): NormalizedOutput | undefined {
    const judged = candidates.map((candidate) => ({ candidate, fault: this.#fault(candidate.text) }));
    const fitting = judged.filter(({ fault }) => fault === undefined).map(({ candidate }) => candidate);
    const [first] = fitting;
    if (first && fitting.every(({ text }) => text === first.text)) return { type: "ok", ...first };
    if (first)
      return {
        type: "invalid",
        reason: `the answer holds ${fitting.length} different JSON values that fit; one is expected`,
      };
    const fault = judged[0]?.fault;
    return fault === undefined ? undefined : { type: "invalid", reason: `the JSON does not fit, ${fault}` };
  }

  #fault(text: string): string | undefined {
    const value: JsonValue = JSON.parse(text);
    if (this.#schema) return this.#schema.fault(value);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? undefined : "at the root: an object is expected";
  }
}

/** The values of each place where JSON may stand; strict ones come before mended ones. */
function* places(text: string): Iterable<readonly Candidate[]> {
  if (isStrictJson(text) && decodeJson(text)) {
    yield [{ text, repairs: [] }];
    return;
  }
  const fenced = fencedBodies(text);
  const regions = balancedRegions(text);
  yield strict(fenced, "fence");
  yield strict(regions, "surrounding-text");
  yield mended([text]);
  yield mended(fenced, "fence");
  yield mended(regions, "surrounding-text");
}

function strict(texts: readonly string[], repair: string): readonly Candidate[] {
  return mended(texts.filter(isStrictJson), repair);
}

function mended(texts: readonly string[], repair?: string): readonly Candidate[] {
  return texts.flatMap((text) => {
    const decoded = decodeJson(text);
    if (!decoded) return [];
    return [{ text: decoded.text, repairs: [...(repair === undefined ? [] : [repair]), ...decoded.repairs] }];
  });
}
