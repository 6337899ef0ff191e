// Merges two sets of sampling parameters.
import type { Sampling } from "../requests.ts";

/** `over` wins over `base`. A token limit of `over` replaces that of `base`, whichever of the two fields they use. */
export function mergeSampling(base: Sampling, over: Sampling): Sampling {
  const { maxTokens, maxCompletionTokens, ...others } = base;
  const hasTokenLimit = over.maxTokens !== undefined || over.maxCompletionTokens !== undefined;
  return {
    ...others,
    ...(!hasTokenLimit && omitUndefined({ maxTokens, maxCompletionTokens })),
    ...omitUndefined(over),
  };
}

function omitUndefined(sampling: Sampling): Sampling {
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));
}
