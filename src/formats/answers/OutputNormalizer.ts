// Converts a final answer to the requested form: the text itself, or the one JSON value in it.
import type { OutputFormat } from "../../core/requests.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import { findBalancedRegions, isStrictJson, parseStrictValue, type ValueText } from "../decoders/jsonTree.ts";
import { CompiledSchema } from "../validation/CompiledSchema.ts";
import type { Misfit } from "../validation/coerceJson.ts";
import { checkValue, fitValue, repairCodes } from "../validation/fitValue.ts";

export type NormalizedOutput =
  | {
      readonly type: "ok";
      /** For output type text, the text itself; else strict JSON, verbatim if the model wrote strict JSON that fits. */
      readonly text: string;
      /** `fence` or `surrounding-text` for text omitted around the JSON, then the repairs inside it and those of the schema fit. */
      readonly repairs: readonly string[];
    }
  /** `reason` is for the correction and for the caller: path, found and required value. No full stop. */
  | { readonly type: "invalid"; readonly reason: string };

/** UTF-16 units of an answer that is read as JSON: it is looked through in one go. */
export const LONGEST_ANSWER = 262_144;
/** UTF-16 units of a reason, which may quote names of the schema. */
const REASON = 400;
/** UTF-16 units of an answer that a reason repeats. */
const SHOWN = 80;

export class OutputNormalizer {
  readonly #output: OutputFormat;
  readonly #schema: CompiledSchema | undefined;

  constructor(output: OutputFormat) {
    this.#output = output;
    this.#schema = output.type === "json_schema" ? new CompiledSchema(output.schema) : undefined;
  }

  /**
   * Looks for JSON, in this order, in the complete text, in a fence, and between brackets in prose. The first of these where exactly one value
   * fits gives the answer. Two values that both fit are no answer. Never throws.
   */
  normalize(text: string): NormalizedOutput {
    if (this.#output.type === "text") return { type: "ok", text, repairs: [] };
    if (text.length > LONGEST_ANSWER)
      return { type: "invalid", reason: `the answer is longer than ${LONGEST_ANSWER} characters` };
    let reason: string | undefined;
    for (const candidates of listPlaces(text)) {
      const found = this.#chooseValue(candidates);
      if (found?.type === "ok") return found;
      reason ??= found?.reason;
    }
    return { type: "invalid", reason: (reason ?? "the answer holds no complete JSON value").slice(0, REASON) };
  }

  /** Returns true if the schema has a property for each key of this object. Such an object is almost certainly the answer. */
  hasAllKeys(strictJson: string): boolean {
    const members = parseStrictValue(strictJson)?.node.members ?? [];
    const shapes = this.#schema?.getShapes(this.#schema.root) ?? [];
    return members.length > 0 && shapes.some(({ properties }) => members.every(({ key }) => properties.has(key)));
  }

  #chooseValue(candidates: readonly ValueText[]): NormalizedOutput | undefined {
    const results = candidates.map((candidate) => this.#fitValue(candidate));
    const accepted = results.filter((one) => one.type === "ok");
    const verbatim = accepted.filter(({ text }) => candidates.some((candidate) => candidate.text === text));
    const [first, ...others] = verbatim.length > 0 ? verbatim : accepted;
    if (!first) return results[0];
    if (others.every(({ text }) => text === first.text)) return first;
    return {
      type: "invalid",
      reason: `the answer holds ${others.length + 1} different JSON values that fit; one is expected`,
    };
  }

  /** Accepts the value unchanged, else repairs it like an argument, else refuses it with a reason. Blanks around the value stay. */
  #fitValue(value: ValueText): NormalizedOutput {
    const { text, node, repairs } = value;
    if (!this.#schema) {
      if (node.kind === "object") return { type: "ok", text, repairs };
      return { type: "invalid", reason: `the answer must be a JSON object, got ${text.trim().slice(0, SHOWN)}` };
    }
    const verdict = checkValue(value, this.#schema);
    if (!verdict.fault) return { type: "ok", text, repairs: [...repairs, ...repairCodes(verdict)] };
    const strict = this.#output.type === "json_schema" && this.#output.strict;
    const fitted = fitValue(value, this.#schema, { strict }, verdict);
    if (fitted.type === "misfit") return { type: "invalid", reason: fitted.misfits.map(describeMisfit).join("; ") };
    const wholeAnswer = text.slice(0, node.start) + fitted.text + text.slice(node.end);
    return { type: "ok", text: wholeAnswer, repairs: [...repairs, ...fitted.repairs] };
  }
}

function describeMisfit({ path, problem }: Misfit): string {
  return `${formatPath(path)} ${problem.replace(/^is no parameter/, "is no property")}`;
}

/** Formats the path of a value as in code. */
function formatPath(path: readonly string[]): string {
  const [first, ...rest] = path;
  if (first === undefined) return "the answer";
  return JSON.stringify(first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join(""));
}

/** Yields the values of each position where JSON may stand. Strict ones come before repaired ones. */
function* listPlaces(text: string): Iterable<readonly ValueText[]> {
  const wholeAnswer = isStrictJson(text) ? parseStrictValue(text) : undefined;
  if (wholeAnswer) {
    yield [wholeAnswer];
    return;
  }
  const fenced = findFencedBodies(text);
  const regions = findBalancedRegions(text, MOST_PLACES).map(({ start, end }) => text.slice(start, end));
  yield decodeStrictTexts(fenced, "fence");
  yield decodeStrictTexts(regions, "surrounding-text");
  yield decodeTexts([text]);
  yield decodeTexts(fenced, "fence");
  yield decodeTexts(regions, "surrounding-text");
}

function decodeStrictTexts(texts: readonly string[], repair: string): readonly ValueText[] {
  return decodeTexts(texts.filter(isStrictJson), repair);
}

function decodeTexts(texts: readonly string[], repair?: string): readonly ValueText[] {
  return texts.flatMap((text) => {
    const decoded = decodeJson(text);
    if (!decoded) return [];
    return [{ ...decoded, repairs: [...(repair === undefined ? [] : [repair]), ...decoded.repairs] }];
  });
}

/** Places that are looked at; a text with more is no answer in JSON. */
const MOST_PLACES = 32;

/** The bodies of the closed fences that start a line, in order; the last one may be open. */
function findFencedBodies(text: string): readonly string[] {
  const bodies: string[] = [];
  let body: string[] | undefined;
  for (const line of text.split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    if (body && isFence) {
      bodies.push(body.join("\n"));
      body = undefined;
    } else if (body) body.push(line);
    else if (isFence) body = [];
  }
  if (body) bodies.push(body.join("\n"));
  return bodies.filter((found) => /^\s*[[{]/.test(found)).slice(0, MOST_PLACES);
}
