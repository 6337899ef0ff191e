// Parses the XML answer of a service into JSON. The parser is loaded with the first answer.
import type { JsonValue } from "../../core/messages.ts";
import { AnswerFormatError } from "./AnswerFormatError.ts";

/** Maximum characters of an XML text: parsing blocks the process. */
export const XML_CHARS = 65_536;
/** Levels of elements. */
const XML_LEVELS = 256;

/** True for `application/xml`, `text/xml` and every `+xml` type. */
export function isXmlMediaType(contentType: string): boolean {
  const [type = ""] = contentType.split(";");
  return /^(?:(?:application|text)\/xml|[\w.+-]+\/[\w.-]+\+xml)$/i.test(type.trim());
}

/**
 * Parses a document. The value has one member, the root element. An element without attributes and children is its text, any
 * other an object: attributes as `_name`, its own text as `_`, and a list if an element repeats. Text stays text. If the root
 * has a prefix or is an Envelope, prefixes are dropped; otherwise `media:title` becomes `media_title`. @throws
 * AnswerFormatError for a text that is not well-formed, nests too deep, or defines entities.
 */
export async function parseXml(text: string): Promise<JsonValue> {
  if (definesEntities(text)) throw new AnswerFormatError("it defines entities, which are not expanded", text);
  const { XMLParser, XMLValidator } = await import("fast-xml-parser");
  const checked = XMLValidator.validate(text);
  if (checked !== true) throw new AnswerFormatError(`${checked.err.msg} (line ${checked.err.line})`, text);
  const rename = readsWithoutPrefixes(text) ? dropPrefix : joinPrefix;
  const parser = new XMLParser({
    ...XML_READING,
    ignoreAttributes: isMarkupAttribute,
    transformTagName: rename,
    transformAttributeName: rename,
    isArray: (_name, path) => FEED_LISTS.has(String(path)),
    maxNestedTags: XML_LEVELS,
    processEntities: { enabled: true, maxTotalExpansions: XML_CHARS, maxExpandedLength: XML_CHARS },
  });
  try {
    return parser.parse(text) as JsonValue;
  } catch (error) {
    throw new AnswerFormatError(error instanceof Error ? error.message : String(error), text);
  }
}

/**
 * Parser options shared by service answers and feeds: text stays text, attributes are `_name`, an element's own text is `_`.
 * Entities are character references and the names of HTML; a document that defines others is refused.
 */
export const XML_READING = {
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  attributeNamePrefix: "_",
  textNodeName: "_",
  htmlEntities: true,
} as const;

/** Two plain searches: one pattern over the complete declaration would take quadratic time. */
export function definesEntities(text: string): boolean {
  return /<!DOCTYPE/i.test(text) && /<!ENTITY/i.test(text);
}

/** Elements of feeds and site maps that are lists even with a single item. */
const FEED_LISTS: ReadonlySet<string> = new Set([
  ...["rss.channel.item", "RDF.item", "feed.entry", "urlset.url", "sitemapindex.sitemap"],
]);

function isMarkupAttribute(name: string): boolean {
  return name === "xmlns" || name.startsWith("xmlns:") || name.startsWith("xsi:");
}

function readsWithoutPrefixes(text: string): boolean {
  const root = /<([A-Za-z_][^\s/>]*)/.exec(text)?.[1] ?? "";
  return root.includes(":") || root === "Envelope";
}

function dropPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function joinPrefix(name: string): string {
  return name.replace(":", "_");
}
