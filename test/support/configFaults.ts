// What a refused configuration is told to mend, a line for each fault.
import { expect } from "@jest/globals";
import type { Failure } from "../../src/core/failures.ts";

/** Empty where `load` refuses nothing. Throws on what is no refusal. */
export function configFaults(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    const { failure, message } = error as Error & { readonly failure?: Failure };
    if (!failure) throw error;
    expect(failure).toMatchObject({ code: "invalid_configuration", fault: "operator" });
    return message.split("\n").slice(1);
  }
  return [];
}
