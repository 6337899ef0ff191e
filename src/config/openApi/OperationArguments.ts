// Builds the arguments of an operation: one flat object from its parameters and body. Refuses duplicate names.
import type { JsonObject } from "../../core/messages.ts";
import type { Parameters } from "../../core/template/inferParameters.ts";
import type { OpenApiDocument } from "./OpenApiDocument.ts";

/** Maximum characters of an argument's name that providers accept. */
const LONGEST = 64;

export class OperationArguments {
  readonly #document: OpenApiDocument;
  readonly #properties = new Map<string, JsonObject>();
  readonly #required: string[] = [];
  readonly #locations = new Map<string, string>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** @returns the name for models, with letters, digits, `_`, `-` and `.` only. */
  add(
    name: string,
    { schema, isRequired, at }: { readonly schema: JsonObject; readonly isRequired: boolean; readonly at: string },
  ): string {
    const argument = toArgumentName(name);
    const before = this.#locations.get(argument);
    if (before !== undefined)
      this.#document.fail(
        at,
        `expected a name of its own: ${before} is the argument \`${argument}\` too; rename one, or leave the operation out by \`operations.except\``,
      );
    this.#locations.set(argument, at);
    this.#properties.set(argument, schema);
    if (isRequired) this.#required.push(argument);
    return argument;
  }

  /** @param params the operator's overrides of parameter schemas. */
  parameters(params: Readonly<Record<string, JsonObject>>): Parameters {
    const properties = [...this.#properties].map(([name, schema]) => [
      name,
      { ...schema, ...(Object.hasOwn(params, name) && params[name]) },
    ]);
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      required: this.#required,
      additionalProperties: false,
    };
  }
}

function toArgumentName(name: string): string {
  const inner = name.replace(/^[^A-Za-z0-9_.-]+/, "").replace(/[^A-Za-z0-9_.-]+$/, "");
  return inner.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").slice(0, LONGEST) || "_";
}
