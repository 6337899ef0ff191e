// What a refused configuration is told to mend, a line for each fault.
import { expect } from "@jest/globals";
import { PostelError } from "./gatewayModules.ts";

/** Empty where `load` refuses nothing. Throws on what is no refusal. */
export function configFaults(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (!(error instanceof PostelError)) throw error;
    expect(error.failure).toMatchObject({ code: "invalid_configuration", fault: "operator" });
    return error.message.split("\n").slice(1);
  }
  return [];
}
