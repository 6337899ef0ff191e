// A page as the text that a model reads of it. Knows nothing of how it was read.
import type { ReadPage } from "./extract/WorkerMessages.ts";

export interface Page extends ReadPage {
  /** Where it was in the end. */
  readonly url: string;
}

/** What it is stands first, so that it is there where the text is cut. */
export function formatPage({ title, url, author, date, text, links }: Page): string {
  const facts = { Title: title, URL: url, Author: author, Date: date };
  const head = Object.entries(facts).flatMap(([name, fact]) => (fact ? [`${name}: ${fact}`] : []));
  const listed = links.map((link) => (link.text === "" ? `- ${link.url}` : `- [${link.text}](${link.url})`));
  const foot = listed.length > 0 ? ["", "Links of the page:", ...listed] : [];
  return [...head, "", text.trim() === "" ? "(The page has no text.)" : text, ...foot].join("\n");
}
