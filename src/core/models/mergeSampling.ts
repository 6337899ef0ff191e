// Two sets of sampling parameters as one. Knows no model.
import type { Sampling } from "../requests.ts";

/** `base` where `over` says nothing. A limit of `over` replaces that of `base` in whichever spelling. */
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
