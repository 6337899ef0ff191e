// Reads how the schemas of a document are written as XML: the `xml` objects of OpenAPI.
import type { XmlShape } from "../../core/config/xmlShape.ts";
import { isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import { joinPointer, listEntries, type OpenApiDocument } from "./OpenApiDocument.ts";
import type { FoundOperation } from "./operations.ts";

/** Maximum depth of a schema that is read; deeper elements use their own names. */
const MOST_LEVELS = 16;
/** Schemas of one body or answer. */
const MOST_SCHEMAS = 500;

export function isXmlMediaType(mediaType: string): boolean {
  return /^(?:(?:application|text)\/xml|[\w.+-]+\/[\w.-]+\+xml)\s*(?:;|$)/i.test(mediaType);
}

/**
 * XML shape of a body; undefined if its schema is a text, which is then the complete document. An element without a name is a
 * fault of the document, because it could not be written.
 */
export function readBodyShape(
  document: OpenApiDocument,
  schema: JsonValue | undefined,
  at: string,
): XmlShape | undefined {
  const shape = new ShapeReader(document).read(schema, at, 0);
  if (shape.type !== "object" && shape.type !== "array") return undefined;
  const name = shape.name ?? componentName(schema);
  if (name !== undefined && NAME.test(name)) return { ...shape, name };
  document.fail(at, "expected a name for the root element of an XML body: add `xml: { name: … }` to its schema");
  return shape;
}

/** XML shape of a successful answer; undefined if the document describes none. */
export function readAnswerShape({ value, at }: FoundOperation, document: OpenApiDocument): XmlShape | undefined {
  const responses = listEntries(value.responses).filter(([status]) => /^(?:2..|default)$/i.test(status));
  for (const [status, raw] of responses.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const found = document.resolveReference(raw, joinPointer(at, "responses", status));
    for (const [mediaType, media] of listEntries(found?.value.content))
      if (found && isXmlMediaType(mediaType) && isObject(media) && media.schema !== undefined)
        return new ShapeReader(document).read(media.schema, joinPointer(found.at, "content", mediaType, "schema"), 0);
  }
  return undefined;
}

/** `Order` for `#/components/schemas/Order`. */
function componentName(schema: JsonValue | undefined): string | undefined {
  return isObject(schema) && typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
}

const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;
const ANY: XmlShape = { type: "any" };

class ShapeReader {
  readonly #document: OpenApiDocument;
  #remainingSchemas = MOST_SCHEMAS;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  read(raw: JsonValue | undefined, at: string, level: number): XmlShape {
    this.#remainingSchemas -= 1;
    const found =
      level < MOST_LEVELS && this.#remainingSchemas >= 0 ? this.#document.resolveReference(raw, at) : undefined;
    if (!found) return ANY;
    const { value } = found;
    const parts = toItems(value.allOf).map((one, index) =>
      this.read(one, joinPointer(found.at, "allOf", index), level + 1),
    );
    const properties = {
      ...Object.assign({}, ...parts.map((part) => part.properties)),
      ...Object.fromEntries(
        listEntries(value.properties).map(([name, one]) => [
          name,
          this.read(one, joinPointer(found.at, "properties", name), level + 1),
        ]),
      ),
    } as Record<string, XmlShape>;
    const hasProperties = Object.keys(properties).length > 0;
    return {
      type: hasProperties ? "object" : (parts.find(({ type }) => type !== "any")?.type ?? readType(value)),
      ...Object.assign({}, ...parts.map(readNaming)),
      ...this.#readXml(value.xml, joinPointer(found.at, "xml")),
      ...(hasProperties && { properties }),
      ...(value.items !== undefined && {
        items: this.read(value.items, joinPointer(found.at, "items"), level + 1),
      }),
    };
  }

  #readXml(xml: JsonValue | undefined, at: string): Omit<XmlShape, "type"> {
    if (!isObject(xml)) return {};
    const { name, prefix, namespace, attribute, wrapped } = xml;
    for (const [key, text] of Object.entries({ name, prefix }))
      if (text !== undefined && (typeof text !== "string" || !NAME.test(text)))
        this.#document.fail(joinPointer(at, key), "expected a name that an XML element can have");
    return {
      ...(typeof name === "string" && { name }),
      ...(typeof prefix === "string" && { prefix }),
      ...(typeof namespace === "string" && { namespace }),
      ...(attribute === true && { attribute }),
      ...(wrapped === true && { wrapped }),
    };
  }
}

function readNaming({ name, prefix, namespace }: XmlShape): Partial<XmlShape> {
  return {
    ...(name !== undefined && { name }),
    ...(prefix !== undefined && { prefix }),
    ...(namespace !== undefined && { namespace }),
  };
}

function readType({ type }: JsonObject): XmlShape["type"] {
  const types = [type].flat().filter((one) => one !== "null");
  const [first] = types;
  if (types.length !== 1) return "any";
  if (first === "integer") return "number";
  return first === "object" || first === "array" || first === "number" || first === "boolean" ? first : "any";
}
