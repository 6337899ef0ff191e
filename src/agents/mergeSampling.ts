// Two sets of sampling parameters as one. Knows no model.
import type { Sampling } from "../core/requests.ts";

/** `base` where `over` says nothing. */
export function mergeSampling(base: Sampling, over: Sampling): Sampling {
  return { ...base, ...Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined)) };
}
