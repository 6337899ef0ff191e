// What a result rests on, out of data that a service or a tool gave: texts and web addresses, bounded. Believes nothing of it and fetches nothing.

import type { Citation } from "../../core/events/citations.ts";
import { isObject } from "../../core/messages.ts";

/** Elements of one result that are looked at. */
const MOST_SOURCES = 50;
/** Characters of a field; a longer one counts as none, since a cut address or id is another. */
const MOST_CHARS = 1_000;

/** Of each element its `title`, `url` and `id`, where they are texts and the address is http or https; what has none of them is left out. */
export function parseCitations(found: unknown, redact: (text: string) => string): readonly Citation[] {
  if (!Array.isArray(found)) return [];
  return found.slice(0, MOST_SOURCES).flatMap((element: unknown) => {
    if (!isObject(element)) return [];
    const fields = { title: getText(element.title), url: getAddress(element.url), id: getText(element.id) };
    const said = Object.entries(fields).flatMap(([key, text]) => (text === undefined ? [] : [[key, redact(text)]]));
    return said.length > 0 ? [Object.fromEntries(said) as Citation] : [];
  });
}

function getText(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MOST_CHARS) return undefined;
  return value.trim() || undefined;
}

/** As a browser would read it, so that nothing hides in how it is written. */
function getAddress(value: unknown): string | undefined {
  const url = URL.parse(getText(value) ?? "");
  return url?.protocol === "https:" || url?.protocol === "http:" ? getText(url.href) : undefined;
}
