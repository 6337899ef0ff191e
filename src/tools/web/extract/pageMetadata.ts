// Reads a page's title, date and links. The values are untrusted.
import type { PageDocument, PageElement } from "./Dom.ts";
import { stripInvisible } from "./stripInvisible.ts";
import type { ReadPage } from "./WorkerMessages.ts";

/** Characters. */
const MOST_TITLE = 300;
const MOST_LINK_TEXT = 200;

/** Text on one line, with at most `most` characters. */
export function truncateLine(text: string, most: number): string {
  return stripInvisible(text.slice(0, most * 10))
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, most)
    .toWellFormed();
}

export function findPageTitle(document: PageDocument): string {
  const said = document.querySelector('meta[property="og:title"]')?.getAttribute("content");
  const texts = [
    document.querySelector("head > title, body > title")?.textContent,
    said,
    document.querySelector("h1")?.textContent,
  ];
  return truncateLine(texts.find((text) => text?.trim()) ?? "", MOST_TITLE);
}

/** Sources of a date in order of reliability. */
const DATES: readonly (readonly [selector: string, attribute: string])[] = [
  ['meta[property="article:published_time"]', "content"],
  ['[itemprop="datePublished"]', "content"],
  ['[itemprop="datePublished"]', "datetime"],
  ['meta[name="date" i]', "content"],
  ['meta[name="dc.date" i]', "content"],
  ['meta[name="dcterms.created" i]', "content"],
  ['meta[name="citation_publication_date" i]', "content"],
  ["time[pubdate]", "datetime"],
  ["article time[datetime]", "datetime"],
  ["time[datetime]", "datetime"],
];

/** The date in the page's own format; undefined if no date is found. */
export function findPageDate(document: PageDocument): string | undefined {
  const [first, ...others] = DATES.map(([selector, name]) => document.querySelector(selector)?.getAttribute(name));
  return [first, dateInData(document), ...others].flatMap((text) => {
    const date = text?.trim() ?? "";
    return date.length <= 40 && /\d{4}/.test(date) && !Number.isNaN(Date.parse(date)) ? [date] : [];
  })[0];
}

/** Date in the page's structured data for search engines. */
function dateInData(document: PageDocument): string | undefined {
  const data = document.querySelector('script[type="application/ld+json"]')?.textContent.slice(0, 100_000) ?? "";
  return /"datePublished"\s*:\s*"([^"]{4,40})"/.exec(data)?.[1];
}

/** The first links to other pages, without duplicates. Their addresses are absolute at this point. */
export function collectLinks(root: PageElement, page: string, most: number): ReadPage["links"] {
  const found = new Map<string, ReadPage["links"][number]>();
  if (most === 0) return [];
  for (const link of root.querySelectorAll("a[href]")) {
    const url = (link.getAttribute("href") ?? "").split("#", 1)[0] ?? "";
    if (!url.startsWith("http") || url === page || found.has(url)) continue;
    const shown = link.textContent.trim() || link.querySelector("img[alt]")?.getAttribute("alt");
    found.set(url, { text: truncateLine(shown ?? "", MOST_LINK_TEXT), url });
    if (found.size === most) break;
  }
  return [...found.values()];
}
