// Reads the request body of an operation: its kind, and the properties that become arguments. Reads no parameters.

import { readsOnly } from "../../core/config/componentActions.ts";
import {
  BODY_ARGUMENT,
  type FieldStyle,
  type OperationContent,
  type OperationField,
} from "../../core/config/openApiComponent.ts";
import { isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import { joinPointer, type LocatedNode, listEntries, type OpenApiDocument } from "./OpenApiDocument.ts";
import type { FoundOperation } from "./operations.ts";
import { isExploded, isJsonMediaType, type OperationParts } from "./parameters.ts";
import { isXmlMediaType, readBodyShape } from "./xmlShapes.ts";

type ContentType = OperationContent["type"];

/** Media types in order of preference. */
const TYPES: readonly (readonly [ContentType, (mediaType: string) => boolean])[] = [
  ["json", isJsonMediaType],
  ["form", (mediaType) => /^application\/x-www-form-urlencoded\b/i.test(mediaType)],
  ["xml", isXmlMediaType],
  ["text", (mediaType) => /^text\/[\w.+-]+\s*(;|$)/i.test(mediaType)],
];

/** Returns undefined if the operation has no body; a body that cannot be sent is a fault. */
export function readOperationContent(operation: FoundOperation, parts: OperationParts): OperationContent | undefined {
  const { document } = parts;
  // A read method has no body (RFC 9110, 9.3.1), whatever the document declares.
  const found = readsOnly(operation.method)
    ? undefined
    : document.resolveReference(operation.value.requestBody, joinPointer(operation.at, "requestBody"));
  const media = found && chooseMediaType(found, document);
  if (!found || !media) return undefined;
  const { mediaType, value } = media;
  const isRequired = found.value.required === true;
  const at = joinPointer(media.at, "schema");
  const schema = parts.schemas.read(value.schema ?? {}, at);
  const shape = media.type === "xml" ? readBodyShape(document, value.schema, at) : undefined;
  const type = media.type === "xml" && !shape ? "text" : media.type;
  const members = type === "text" ? undefined : readMembers(schema);
  if (members && type !== "text") {
    const fields = members.map(({ name, schema: one, isRequired: always }) => {
      const argument = parts.args.add(name, {
        schema: one,
        isRequired: always,
        at: joinPointer(at, "properties", name),
      });
      return { argument, name, ...(type === "form" ? writtenAs(one, readEncoding(value, name)) : AS_JSON) };
    });
    if (shape) return { type: "xml", mediaType, fields, isRequired, shape };
    return type === "xml" ? undefined : { type, mediaType, fields, isRequired };
  }
  if (type === "form") {
    document.fail(
      at,
      "expected an object with `properties` for a form, and no `additionalProperties`, `anyOf` or `oneOf`",
    );
    return undefined;
  }
  const text =
    typeof found.value.description === "string" && schema.description === undefined
      ? { description: found.value.description.slice(0, 500) }
      : {};
  parts.args.add(BODY_ARGUMENT, {
    schema: { ...(type === "text" && { type: "string" }), ...schema, ...text },
    isRequired,
    at: found.at,
  });
  if (shape) return { type: "xml", mediaType, isRequired, shape };
  return type === "xml" ? undefined : { type, mediaType };
}

interface Chosen extends LocatedNode {
  readonly type: ContentType;
  readonly mediaType: string;
}

function chooseMediaType({ value, at }: LocatedNode, document: OpenApiDocument): Chosen | undefined {
  const media = listEntries(value.content);
  for (const [type, fits] of TYPES)
    for (const [mediaType, one] of media)
      if (fits(mediaType))
        return { type, mediaType, value: isObject(one) ? one : {}, at: joinPointer(at, "content", mediaType) };
  if (media.length > 0)
    document.fail(
      joinPointer(at, "content"),
      `expected application/json, application/x-www-form-urlencoded, application/xml or text; ${media.map(([type]) => type).join(", ")} cannot be sent: leave the operation out by \`operations.except\``,
    );
  return undefined;
}

interface Member {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Properties of an object schema without alternatives or other properties; undefined for any other schema. */
function readMembers(schema: JsonObject): readonly Member[] | undefined {
  const { type = "object", properties, additionalProperties: others = false, allOf } = schema;
  if (type !== "object" || others !== false || ["anyOf", "enum", "const"].some((key) => key in schema))
    return undefined;
  const parts = toItems(allOf).map((one) => (isObject(one) ? readMembers(one) : undefined));
  if (parts.some((one) => one === undefined)) return undefined;
  const required = toItems(schema.required);
  const ownProperties = listEntries(properties).map(([name, one]) => ({
    name,
    schema: isObject(one) ? one : {},
    isRequired: required.includes(name),
  }));
  const byName = new Map<string, Member>();
  for (const member of [...parts.flatMap((one) => one ?? []), ...ownProperties]) {
    const before = byName.get(member.name);
    const isRequiredAnyway = member.isRequired || before?.isRequired === true || required.includes(member.name);
    byName.set(member.name, {
      ...member,
      schema: { ...before?.schema, ...member.schema },
      isRequired: isRequiredAnyway,
    });
  }
  return byName.size > 0 ? [...byName.values()] : undefined;
}

type Written = Pick<OperationField, "style" | "explode" | "allowReserved">;

const AS_JSON: Written = { style: "json", explode: false, allowReserved: false };
const FORM_STYLES: readonly FieldStyle[] = ["form", "spaceDelimited", "pipeDelimited", "deepObject"];

function readEncoding({ encoding }: JsonObject, name: string): JsonObject {
  const found = isObject(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  return isObject(found) ? found : {};
}

/** Serialization of a form field. The default of an object is JSON (OpenAPI 3.0.4, Encoding Object). */
function writtenAs(schema: JsonObject, { style, explode, allowReserved, contentType }: JsonObject): Written {
  const isSaid = [style, explode, allowReserved].some((one) => one !== undefined);
  if (!isSaid && (isJsonText(contentType) || (contentType === undefined && schema.type === "object"))) return AS_JSON;
  const found = FORM_STYLES.find((one) => one === style) ?? "form";
  return { style: found, explode: isExploded(found, explode), allowReserved: allowReserved === true };
}

function isJsonText(contentType: JsonValue | undefined): boolean {
  return typeof contentType === "string" && isJsonMediaType(contentType);
}
