// The entities of XML in attributes and element values. Knows no mark, and makes no character that the text does not name by one of them.

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
  ["lt", "<"],
  ["gt", ">"],
]);

/**
 * Decoded once and only once. Any other reference stays as it is written, `&#0;` and `&#xD800;` with it: what a template encodes are
 * these five, and a number could name a character that no text may hold (decisions/0032).
 */
export function decodeEntities(text: string): string {
  return text.includes("&")
    ? text.replace(/&(amp|quot|apos|lt|gt);/g, (all, name: string) => ENTITIES.get(name) ?? all)
    : text;
}
