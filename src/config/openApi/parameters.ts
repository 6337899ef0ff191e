// Reads the parameters of an operation: their location and serialization. Refuses parameters that no request can carry; reads
// no body.

import type { FieldStyle, InputPlace, OperationInput } from "../../core/config/openApiComponent.ts";
import { isObject, type JsonObject, toItems } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import { isOfConnection } from "../components/serviceFields.ts";
import { joinPointer, type LocatedNode, listEntries, type OpenApiDocument } from "./OpenApiDocument.ts";
import type { OperationArguments } from "./OperationArguments.ts";
import type { FoundOperation } from "./operations.ts";
import { MOST_CHARS, type SchemaReader } from "./SchemaReader.ts";

export interface OperationParts {
  readonly document: OpenApiDocument;
  readonly schemas: SchemaReader;
  readonly args: OperationArguments;
}

/** Location and name of a parameter, as in `header x-key`; header names are lower case. */
export function getInputKey(place: string, name: string): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}

/** @param hidden keys (`getInputKey`) of parameters that the operator supplies and models do not see. */
export function readOperationInputs(
  operation: FoundOperation,
  parts: OperationParts,
  hidden: ReadonlySet<string>,
): readonly OperationInput[] {
  const inputs = collectParameters(operation, parts.document)
    .filter(({ value }) => !hidden.has(getInputKey(String(value.in), String(value.name))))
    .flatMap((stateRef) => toOperationInput(stateRef, parts) ?? []);
  checkPath(operation, inputs, parts.document);
  return inputs;
}

/** The operation's own parameters override those of its path. */
function collectParameters({ value, at, shared }: FoundOperation, document: OpenApiDocument): readonly LocatedNode[] {
  const byPlace = new Map<string, LocatedNode>();
  for (const from of [shared, { value, at }])
    for (const [index, raw] of toItems(from.value.parameters).entries()) {
      const found = document.resolveReference(raw, joinPointer(from.at, "parameters", index));
      if (found) byPlace.set(getInputKey(String(found.value.in), String(found.value.name)), found);
    }
  return [...byPlace.values()];
}

/** The first style of each location is its default. */
const STYLES: Readonly<Record<InputPlace, readonly [FieldStyle, ...FieldStyle[]]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

function toOperationInput(
  { value, at }: LocatedNode,
  { document, schemas, args }: OperationParts,
): OperationInput | undefined {
  const { name } = value;
  const location = Object.keys(STYLES).find((one): one is InputPlace => one === value.in);
  if (typeof name !== "string" || location === undefined) {
    document.fail(at, "expected a parameter with a `name`, and an `in` of path, query, header or cookie");
    return undefined;
  }
  if (
    location === "header" &&
    (isOfConnection(name.toLowerCase()) || ["host", "cookie"].includes(name.toLowerCase()))
  ) {
    document.fail(at, `expected another header: \`${name}\` is not a caller's to give; take it out`);
    return undefined;
  }
  const how = readStyle(value, location, { document, at });
  const schema = how && schemas.read(how.schema, how.at);
  if (!schema) return undefined;
  if (location === "cookie" && how.explode && ["array", "object"].includes(String(schema.type)))
    document.fail(at, "expected `explode: false`: a cookie has one value");
  const isRequired = location === "path" || value.required === true;
  const text = typeof value.description === "string" ? sanitizeToolText(value.description, MOST_CHARS).trim() : "";
  const argument = args.add(name, { schema: { ...schema, ...(text && { description: text }) }, isRequired, at });
  const { style, explode } = how;
  return {
    argument,
    name: location === "header" ? name.toLowerCase() : name,
    in: location,
    style,
    explode,
    allowReserved: location === "query" && value.allowReserved === true,
  };
}

interface How {
  readonly style: FieldStyle;
  readonly explode: boolean;
  readonly schema: JsonObject[string] | undefined;
  /** Position of the schema in the document. */
  readonly at: string;
}

function readStyle(
  value: JsonObject,
  place: InputPlace,
  { document, at }: { readonly document: OpenApiDocument; readonly at: string },
): How | undefined {
  const content = listEntries(value.content);
  const [first, ...others] = content;
  if (first) {
    const [type, media] = first;
    if (others.length > 0 || !isJsonMediaType(type)) {
      document.fail(joinPointer(at, "content"), "expected one media type, application/json, for a parameter's content");
      return undefined;
    }
    return {
      style: "json",
      explode: false,
      schema: isObject(media) ? (media.schema ?? {}) : {},
      at: joinPointer(at, "content", type, "schema"),
    };
  }
  const [defaultValue] = STYLES[place];
  const style = STYLES[place].find((one) => one === (value.style ?? defaultValue));
  if (style === undefined) {
    document.fail(joinPointer(at, "style"), `expected one of ${STYLES[place].join(", ")} for a parameter in ${place}`);
    return undefined;
  }
  return {
    style,
    explode: isExploded(style, value.explode),
    schema: value.schema ?? {},
    at: joinPointer(at, "schema"),
  };
}

/** `deepObject` is defined only with `explode`. */
export function isExploded(style: FieldStyle, raw: JsonObject[string] | undefined): boolean {
  return style === "deepObject" || (typeof raw === "boolean" ? raw : style === "form");
}

/** Returns true if the media type is JSON, with or without parameters. */
export function isJsonMediaType(mediaType: string): boolean {
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(mediaType);
}

function checkPath({ path, at }: FoundOperation, inputs: readonly OperationInput[], document: OpenApiDocument): void {
  const named = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const pathInputs = inputs.filter((one) => one.in === "path").map(({ name }) => name);
  for (const name of named)
    if (!pathInputs.includes(name))
      document.fail(at, `expected a parameter \`${name}\` in path, which \`${path}\` has`);
  for (const name of pathInputs)
    if (!named.includes(name))
      document.fail(at, `expected \`{${name}}\` in the path \`${path}\`, or no such parameter`);
  const literal = path.replaceAll(/\{[^{}]*\}/g, "x");
  if (/[?#\\{}\s]|(^|\/)\.{1,2}(\/|$)|\/\//.test(literal))
    document.fail(
      at,
      `expected a path without query, fragment, \`.\`, \`..\` and spaces; \`${path}\` has one: query parameters stand in \`parameters\``,
    );
}
