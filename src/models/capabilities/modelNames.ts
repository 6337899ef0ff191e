// Normalises the spellings of a model name, and selects the profile that matches best.
import { countLiterals, matchesPattern } from "../../core/models/namePatterns.ts";

/** Vendor and region prefixes of Bedrock ids: `us.anthropic.claude-…`. A version such as `gpt-4.1` has no letters-only part. */
const DOTTED_PREFIX = /^(?:[a-z]+\.){1,2}(?=[a-z])/;

/** Suffixes of hosts, registries and quantisers. They are removed one after the other. */
const SUFFIXES: readonly RegExp[] = [
  // Ollama tags and OpenRouter variants (`:8b`, `:free`), Vertex versions (`@20240620`).
  /[:@][^:@]*$/,
  /\.(?:gguf|ggml|bin|safetensors)$/,
  /-\d{5}-of-\d{5}$/,
  // Dates: 20240806, 2024-08-06, 08-06, 0528; Bedrock's `-v1` follows one.
  /-(?:\d{8}|\d{4}-\d{2}-\d{2})(?:-v\d+)?$/,
  /-(?:\d{2}-\d{2}|\d{4})$/,
  // Quantisations: llama.cpp (`q4_k_m`, `iq3_xs`, `ud-q4_k_xl`), GPU formats, bit widths.
  /[-.](?:ud-)?i?q\d+(?:_[a-z0-9]+)*$/,
  /-(?:gguf|ggml|awq|gptq|exl[23]|mlx|hqq|marlin|bnb|nf4|fp(?:4|8|16)|bf16|f(?:16|32)|int[48]|[2-8]-?bit|w\d+a\d+|mxfp4|nvfp4|g\d+)$/,
  /-(?:fp8|int[48]|w\d+a\d+)-(?:dynamic|block)$/,
  /-latest$/,
];

/** Names are cut at this length: a caller chooses them, and every pattern is tried on each form. */
export const MAX_NAME_CHARS = 256;

/**
 * The forms of a name, the given one (in lower case) first, each later one with more taken away: organisation and registry
 * path, vendor prefix, then tag, date and quantisation.
 */
export function nameForms(model: string): readonly string[] {
  const lowerName = model.trim().toLowerCase().slice(0, MAX_NAME_CHARS);
  const forms = new Set([lowerName]);
  let form = lowerName;
  const shorten = (shorter: string) => {
    if (shorter === "" || shorter === form) return false;
    form = shorter;
    forms.add(form);
    return true;
  };
  for (let slash = form.indexOf("/"); slash >= 0; slash = form.indexOf("/")) {
    if (!shorten(form.slice(slash + 1))) break;
  }
  shorten(form.replace(DOTTED_PREFIX, ""));
  while (SUFFIXES.some((suffix) => shorten(form.replace(suffix, ""))));
  return [...forms];
}

/** A profile, and its pattern that matches a name. */
export interface Match<Row> {
  readonly row: Row;
  readonly pattern: string;
}

/** The pattern with the most literal characters wins; among equals the one that needs less taken off the name. */
export function findBestMatch<Row extends { readonly match: readonly string[] }>(
  rows: readonly Row[],
  forms: readonly string[],
): Match<Row> | undefined {
  let best: Match<Row> | undefined;
  let bestLength = -1;
  for (const form of forms) {
    for (const row of rows) {
      for (const pattern of row.match) {
        const length = countLiterals(pattern);
        if (length <= bestLength || !matchesPattern(pattern, form)) continue;
        best = { row, pattern };
        bestLength = length;
      }
    }
  }
  return best;
}
