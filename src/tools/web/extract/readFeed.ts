// Reads a feed or a site map (RSS, RDF, Atom, sitemap.xml) as a list with links.
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { isObject, type JsonObject, type JsonValue } from "../../../core/messages.ts";
import { definesEntities, XML_READING } from "../../http/parseXml.ts";
import { truncateLine } from "./pageMetadata.ts";
import type { ReadPage } from "./WorkerMessages.ts";

/** Maximum number of entries; the text states how many more there are. */
const MOST_ENTRIES = 500;
/** Characters of a title, and of a summary. */
const MOST_TITLE = 300;
const MOST_SUMMARY = 500;

/** Prolog, comments and instructions before the root element. */
const FEED = /^\ufeff?\s*(?:<\?[^>]{0,500}\?>\s*|<!--[^>]{0,2000}-->\s*)*<(rss|rdf:RDF|feed|urlset|sitemapindex)[\s>]/;

const parser = new XMLParser({
  ...XML_READING,
  ignoreAttributes: false,
  maxNestedTags: 100,
  processEntities: { enabled: true, maxTotalExpansions: 1_000_000, maxExpandedLength: 10_000_000 },
});

/**
 * The items of a feed; undefined for any other or malformed text. @param url address of the feed, the base of its links.
 * @param most maximum number of links.
 */
export function readFeed(
  text: string,
  { url, links: most }: { readonly url: string; readonly links: number },
): ReadPage | undefined {
  const root = FEED.exec(text)?.[1];
  if (root === undefined || definesEntities(text) || XMLValidator.validate(text) !== true) return undefined;
  try {
    return toPage(root, parser.parse(text) as JsonObject, { url, most });
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly title: string;
  readonly url: string;
  readonly date: string;
  readonly summary: string;
}

function toPage(
  root: string,
  document: JsonObject,
  { url, most }: { readonly url: string; readonly most: number },
): ReadPage {
  const top = document[root];
  const body = root === "rss" ? getMember(top, "channel") : top;
  const header = root === "rdf:RDF" ? getMember(top, "channel") : body;
  const items = ["item", "entry", "url", "sitemap"].flatMap((name) => toList(getMember(body, name)));
  const entries = items.slice(0, MOST_ENTRIES).map((item) => toEntry(item, url));
  const rest = items.length - entries.length;
  const lines = entries.map(formatEntry);
  const linked = entries.filter((entry) => entry.url !== "").map((entry) => ({ text: entry.title, url: entry.url }));
  return {
    title:
      truncateLine(getText(getMember(header, "title")), MOST_TITLE) ||
      (root === "urlset" || root === "sitemapindex" ? "Site map" : ""),
    text: [...lines, ...(rest > 0 ? [`(${rest} more entries are not shown.)`] : [])].join("\n"),
    links: linked.slice(0, most),
  };
}

function toEntry(item: JsonValue, base: string): Entry {
  const first = (...names: readonly string[]): string =>
    names.map((name) => getText(toList(getMember(item, name))[0] ?? "")).find((text) => text.trim() !== "") ?? "";
  return {
    title: truncateLine(stripTags(first("title")), MOST_TITLE),
    url: resolveLink(item, base),
    date: truncateLine(first("pubDate", "published", "updated", "dc:date", "lastmod"), 100),
    summary: truncateLine(stripTags(first("description", "summary")), MOST_SUMMARY),
  };
}

/** Only http and https; other schemes are dropped. */
function resolveLink(item: JsonValue, base: string): string {
  const links = toList(getMember(item, "link"));
  const link = links.find((one) => !isObject(one) || [undefined, "alternate"].includes(one._rel as string)) ?? links[0];
  const written =
    isObject(link) && link._href !== undefined ? getText(link._href) : getText(link ?? getMember(item, "loc") ?? "");
  const url = written.trim() === "" ? null : URL.parse(written.trim(), base);
  return url && /^https?:$/.test(url.protocol) ? truncateLine(url.href, 2_000) : "";
}

function formatEntry({ title, url, date, summary }: Entry): string {
  const name = (title || url).replaceAll(/[[\]]/g, "\\$&");
  const head = url === "" ? name : `[${name}](${url.replaceAll(/[()]/g, encodeBracket)})`;
  return `- ${[head, date && `(${date})`].filter(Boolean).join(" ")}${summary && `: ${summary}`}`;
}

function encodeBracket(bracket: string): string {
  return bracket === "(" ? "%28" : "%29";
}

function stripTags(text: string): string {
  return text.replaceAll(/<[^<>]*>/g, " ");
}

function getMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function toList(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function getText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return isObject(value) && typeof value._ === "string" ? value._ : "";
}
