// Extracts the title, date and text of a page. The bytes are untrusted; this runs in a thread that can be terminated.
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { validateMarkup } from "./checkMarkupSize.ts";
import { cleanDocument } from "./cleanDocument.ts";
import type { PageDocument, PageElement } from "./Dom.ts";
import { decodePage } from "./decodePage.ts";
import { collectLinks, findPageDate, findPageTitle, truncateLine } from "./pageMetadata.ts";
import { readFeed } from "./readFeed.ts";
import { stripInvisible } from "./stripInvisible.ts";
import { toMarkdown } from "./toMarkdown.ts";
import type { ExtractRequest, ExtractResult, ReadPage } from "./WorkerMessages.ts";

/**
 * Maximum number of elements for the article search, which would take seconds on a larger page; such a page is returned
 * completely.
 */
const MOST_SEARCHED = 8_000;
/** Minimum characters of an article; with less, the page counts as having none. */
const LEAST_ARTICLE = 140;
/** Characters. */
const MOST_AUTHOR = 200;
/** The share of a page's text that may be its frame. */
const MOST_FRAME = 0.95;

export function extractPage(order: ExtractRequest): ExtractResult {
  const text = decodePage(order.bytes, order.contentType);
  if (text.includes("\u0000")) return { type: "refused", reason: "What the site sent is no text." };
  const feed = readFeed(text, order);
  if (feed) return { type: "read", page: feed };
  if (order.kind === "text" || !/<[a-z!?]/i.test(text)) return { type: "read", page: asItIs(text) };
  const reason = validateMarkup(text, order.bounds);
  return reason === undefined ? { type: "read", page: readMarkup(text, order) } : { type: "refused", reason };
}

function asItIs(text: string): ReadPage {
  return { title: "", text: stripInvisible(text), links: [] };
}

function readMarkup(text: string, { url, contentType, links }: ExtractRequest): ReadPage {
  const document = parsed(/xhtml/i.test(contentType) ? asHtml(text) : text);
  const refresh = findRefresh(document, url);
  const facts = { title: findPageTitle(document), date: findPageDate(document) };
  cleanDocument(document, url);
  // The parser gives a frameset an empty body.
  const root = document.querySelector("frameset") ?? document.body;
  if (!root) return { ...facts, text: "", links: [] };
  const found = { ...facts, links: collectLinks(root, url, links) };
  const article = extractArticle(document);
  const written = toMarkdown(article?.content ?? withoutFrame(root));
  return {
    ...found,
    ...(article?.author && { author: article.author }),
    text: refresh === undefined ? written : `This page sends its readers on to ${refresh}\n\n${written}`,
  };
}

/** Parses a document. A fragment gets a body, because the parser would place its elements outside of the root. */
function parsed(text: string): PageDocument {
  const whole = /<(?:html|body|head|frameset)\b/i.test(text)
    ? text
    : `<!doctype html><html><body>${text}</body></html>`;
  return parseHTML(whole).document as unknown as PageDocument;
}

/** Adapts XHTML for the HTML parser, which supports neither self-closing elements nor CDATA sections. */
function asHtml(text: string): string {
  return text.replace(/<!\[CDATA\[|\]\]>/g, "").replace(/<([a-z][\w:-]*)([^<>]*)\/>/gi, "<$1$2></$1>");
}

interface Article {
  readonly content: PageElement;
  readonly author: string;
}

/** The article of the page; undefined if there is none, or it is too short to be the page's content. */
function extractArticle(document: PageDocument): Article | undefined {
  try {
    // Readability changes the document that it searches, so it gets a copy.
    const reader = new Readability<PageElement>(document.cloneNode(true) as never, {
      maxElemsToParse: MOST_SEARCHED,
      charThreshold: LEAST_ARTICLE,
      keepClasses: true,
      disableJSONLD: true,
      serializer: (element) => element as unknown as PageElement,
    });
    const { content, textContent, byline } = reader.parse() ?? {};
    if (!content || (textContent ?? "").trim().length < LEAST_ARTICLE) return undefined;
    return { content, author: truncateLine(byline ?? "", MOST_AUTHOR) };
  } catch {
    return undefined;
  }
}

const FRAME = "nav, footer, aside, [role=navigation], [role=contentinfo], [role=search], [role=complementary]";

/** The page without its navigation, header and footer, unless these are nearly all of it. */
function withoutFrame(root: PageElement): PageElement {
  const frame = [...root.querySelectorAll(FRAME)].filter((part) => !part.parentNode?.closest(FRAME));
  const framed = frame.reduce((sum, { textContent }) => sum + textContent.trim().length, 0);
  if (framed < root.textContent.trim().length * MOST_FRAME) for (const part of frame) part.remove();
  return root;
}

/** Target of a page that only redirects. */
function findRefresh(document: PageDocument, page: string): string | undefined {
  const content = document.querySelector('meta[http-equiv="refresh" i]')?.getAttribute("content") ?? "";
  const target = /^\s*[\d.]*\s*[;,]\s*(?:url\s*=)?\s*["']?([^"']+)/i.exec(content.slice(0, 2_000))?.[1];
  const url = target === undefined ? null : URL.parse(target.trim(), page);
  return url && /^https?:$/.test(url.protocol) ? truncateLine(url.href, 2_000) : undefined;
}
