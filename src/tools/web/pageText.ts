// Formats a page as text for a model.
import type { ReadPage } from "./extract/WorkerMessages.ts";

export interface Page extends ReadPage {
  /** Address after all redirects. */
  readonly url: string;
}

/** The metadata comes first, so that it remains if the text is truncated. */
export function formatPage({ title, url, author, date, text, links }: Page): string {
  const facts = { Title: title, URL: url, Author: author, Date: date };
  const head = Object.entries(facts).flatMap(([name, fact]) => (fact ? [`${name}: ${fact}`] : []));
  const listed = links.map((link) => (link.text === "" ? `- ${link.url}` : `- [${link.text}](${link.url})`));
  const foot = listed.length > 0 ? ["", "Links of the page:", ...listed] : [];
  return [...head, "", text.trim() === "" ? "(The page has no text.)" : text, ...foot].join("\n");
}
