// What of a document is not OpenAPI, as the schema of its version says. Reads no file, and goes nowhere: a reference is left as it stands.
import type { JsonObject } from "../../core/messages.ts";

/** Faults that are told: one wrong word is many of them, for each of the forms that it could have been. */
const MOST_FAULTS = 5;

/** As `#/place: what is wrong`, the deepest places first; empty where nothing is. */
export async function validateDocument(document: JsonObject): Promise<readonly string[]> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  // Nothing is written out: a small document whose references double each other would take the memory of the gateway.
  const options = {
    resolve: { external: false },
    dereference: { circular: "ignore", excludedPathMatcher: () => true },
    // The schemas are compiled: where no text becomes code, as in the image, what is not OpenAPI shows as its operations are read.
    validate: { schema: mayCompile() },
  };
  try {
    await SwaggerParser.validate(structuredClone(document) as never, options as never);
    return [];
  } catch (error) {
    return extractFaults(error);
  }
}

function mayCompile(): boolean {
  try {
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}

interface SchemaFault {
  readonly instancePath: string;
  readonly message?: string;
}

function extractFaults(error: unknown): readonly string[] {
  const { details, message } = error as { readonly details?: readonly SchemaFault[]; readonly message?: string };
  if (!Array.isArray(details)) return [`#: ${message ?? "it is not OpenAPI"}`];
  const depth = ({ instancePath }: SchemaFault): number => instancePath.split("/").length;
  const deepest = details.toSorted((a: SchemaFault, b: SchemaFault) => depth(b) - depth(a));
  return [...new Set(deepest.map((one: SchemaFault) => `#${one.instancePath}: ${one.message ?? ""}`))].slice(
    0,
    MOST_FAULTS,
  );
}
