// What a result rests on, out of data that a service or a tool gave: texts and web addresses, bounded. Believes nothing of it and fetches nothing.
import { isObject } from "../core/messages.ts";
import type { Source } from "../core/sources.ts";

/** Elements of one result that are looked at. */
const MOST_SOURCES = 50;
/** Characters of a field; a longer one counts as none, since a cut address or id is another. */
const MOST_CHARS = 1_000;

/** Of each element its `title`, `url` and `id`, where they are texts and the address is http or https; what has none of them is left out. */
export function sourcesIn(found: unknown, redact: (text: string) => string): readonly Source[] {
  if (!Array.isArray(found)) return [];
  return found.slice(0, MOST_SOURCES).flatMap((element: unknown) => {
    if (!isObject(element)) return [];
    const fields = { title: textIn(element.title), url: addressIn(element.url), id: textIn(element.id) };
    const said = Object.entries(fields).flatMap(([key, text]) => (text === undefined ? [] : [[key, redact(text)]]));
    return said.length > 0 ? [Object.fromEntries(said) as Source] : [];
  });
}

function textIn(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MOST_CHARS) return undefined;
  return value.trim() || undefined;
}

/** As a browser would read it, so that nothing hides in how it is written. */
function addressIn(value: unknown): string | undefined {
  const url = URL.parse(textIn(value) ?? "");
  return url?.protocol === "https:" || url?.protocol === "http:" ? textIn(url.href) : undefined;
}
