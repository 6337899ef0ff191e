// Merges two sets of sampling parameters.
import type { Sampling } from "../requests.ts";

/** `over` wins over `base`. A token limit of `over` replaces that of `base`, whichever of the two fields they use. */
export function mergeSampling(base: Sampling, over: Sampling): Sampling {
  const { maxTokens, maxCompletionTokens, ...others } = base;
  const limited = over.maxTokens !== undefined || over.maxCompletionTokens !== undefined;
  return {
    ...others,
    ...(!limited && defined({ maxTokens, maxCompletionTokens })),
    ...defined(over),
  };
}

function defined(sampling: Sampling): Sampling {
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));
}
