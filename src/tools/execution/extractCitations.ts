// Extracts citations from the data of a service or tool: bounded texts and web addresses. The data is untrusted.

import type { Citation } from "../../core/events/citations.ts";
import { isObject } from "../../core/messages.ts";

/** Elements of one result that are looked at. */
const MOST_SOURCES = 50;
/** Characters of a field; a longer one counts as none, since a cut address or id is another. */
const MOST_CHARS = 1_000;

/**
 * The `title`, `url` and `id` of each element, if they are texts and the URL is http or https; elements without any are
 * dropped.
 */
export function parseCitations(found: unknown, redact: (text: string) => string): readonly Citation[] {
  if (!Array.isArray(found)) return [];
  return found.slice(0, MOST_SOURCES).flatMap((element: unknown) => {
    if (!isObject(element)) return [];
    const fields = { title: getText(element.title), url: getAddress(element.url), id: getText(element.id) };
    const citationTexts = Object.entries(fields).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, redact(text)]],
    );
    return citationTexts.length > 0 ? [Object.fromEntries(citationTexts) as Citation] : [];
  });
}

function getText(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MOST_CHARS) return undefined;
  return value.trim() || undefined;
}

/** Normalized as a browser would read it, so that nothing can hide in its spelling. */
function getAddress(value: unknown): string | undefined {
  const url = URL.parse(getText(value) ?? "");
  return url?.protocol === "https:" || url?.protocol === "http:" ? getText(url.href) : undefined;
}
