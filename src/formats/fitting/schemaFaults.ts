// The first rule of a schema that a value breaks: where it stands, and which of several was meant. Looks for none.
import type { JsonValue } from "../../core/messages.ts";
import type { RuleBreak } from "./schemaRules.ts";

/** The first rule that a value breaks. */
export interface SchemaFault extends RuleBreak {
  /** From the value down. */
  readonly path: readonly string[];
  /** What stands there. */
  readonly found: JsonValue;
}

/** The fault as the value around it has it. */
export function below(fault: SchemaFault, step: string | number): SchemaFault {
  return { ...fault, path: [`${step}`, ...fault.path] };
}

/** By these an alternative says that it is not meant. */
const TELL_APART: ReadonlySet<string> = new Set(["type", "const", "enum", "required", "false"]);

/** Of alternatives the one that was meant is the one of which only a bound is broken. */
export function meant(faults: readonly (SchemaFault | undefined)[]): SchemaFault | undefined {
  return faults.findLast((fault) => fault !== undefined && !TELL_APART.has(fault.keyword));
}
