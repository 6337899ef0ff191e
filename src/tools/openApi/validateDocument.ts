// Validates a document against the OpenAPI schema of its version. Resolves no external references.
import type { JsonObject } from "../../core/messages.ts";

/** Maximum number of reported faults: one error causes many, for each alternative of the schema. */
const MOST_FAULTS = 5;

/** Faults as `#/place: what is wrong`, the deepest positions first; empty if there are none. */
export async function validateDocument(document: JsonObject): Promise<readonly string[]> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  // References are not inlined: a small document whose references double each other would exhaust the memory.
  const options = {
    resolve: { external: false },
    dereference: { circular: "ignore", excludedPathMatcher: () => true },
    // Validation compiles schemas to code. If code generation is disabled, as in the image, faults appear when operations are
    // read.
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
