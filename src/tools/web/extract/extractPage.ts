// A page as its readers see it: title, date, text. Works on bytes that somebody outside wrote; runs in a thread that may be ended.
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

/** Elements; of a larger page nobody looks for the article, which takes seconds then, and all of it is read. */
const MOST_SEARCHED = 8_000;
/** Characters of an article; where less is found, the page is none. */
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
  // Of a set of frames the gateway's parser makes no body but one that is empty.
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

/** A text that is no document has its elements beside its root. */
function parsed(text: string): PageDocument {
  const whole = /<(?:html|body|head|frameset)\b/i.test(text)
    ? text
    : `<!doctype html><html><body>${text}</body></html>`;
  return parseHTML(whole).document as unknown as PageDocument;
}

/** XHTML as the parser of HTML takes it: it knows no element that ends where it begins, and no section of characters. */
function asHtml(text: string): string {
  return text.replace(/<!\[CDATA\[|\]\]>/g, "").replace(/<([a-z][\w:-]*)([^<>]*)\/>/gi, "<$1$2></$1>");
}

interface Article {
  readonly content: PageElement;
  readonly author: string;
}

/** What a reader of news would keep; undefined where that is nothing, or too little to be the page. */
function extractArticle(document: PageDocument): Article | undefined {
  try {
    // It changes what it searches, and may find nothing.
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

/** All of a page but what stands around each page of its site; where that is nearly all, all of it. */
function withoutFrame(root: PageElement): PageElement {
  const frame = [...root.querySelectorAll(FRAME)].filter((part) => !part.parentNode?.closest(FRAME));
  const framed = frame.reduce((sum, { textContent }) => sum + textContent.trim().length, 0);
  if (framed < root.textContent.trim().length * MOST_FRAME) for (const part of frame) part.remove();
  return root;
}

/** Where a page leads that is itself none. */
function findRefresh(document: PageDocument, page: string): string | undefined {
  const content = document.querySelector('meta[http-equiv="refresh" i]')?.getAttribute("content") ?? "";
  const target = /^\s*[\d.]*\s*[;,]\s*(?:url\s*=)?\s*["']?([^"']+)/i.exec(content.slice(0, 2_000))?.[1];
  const url = target === undefined ? null : URL.parse(target.trim(), page);
  return url && /^https?:$/.test(url.protocol) ? truncateLine(url.href, 2_000) : undefined;
}
