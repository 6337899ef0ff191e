// Estimates the elements and depth of an HTML text in one pass, without parsing it.
import type { PageBounds } from "../../../core/config/webScraperComponent.ts";

/**
 * Sentence that names the exceeded limit; undefined if the text is within its limits. In doubt an element counts. Implied end
 * tags are handled as the parser does, or a long list would seem deep.
 */
export function validateMarkup(
  text: string,
  { maxElements, maxDepth }: Omit<PageBounds, "parseMs">,
): string | undefined {
  const open: string[] = [];
  let elements = 0;
  let at = 0;
  for (;;) {
    at = text.indexOf("<", at);
    if (at < 0) return undefined;
    const tag = readTag(text, at);
    at = tag.end;
    if (tag.name === "") continue;
    if (tag.closes) {
      const found = open.lastIndexOf(tag.name);
      if (found >= 0) open.length = found;
      continue;
    }
    elements += 1;
    if (elements > maxElements) return `The page has more than ${maxElements} elements, the most that are read of one.`;
    while (CLOSED_BY.get(tag.name)?.has(open.at(-1) ?? "")) open.pop();
    if (RAW.has(tag.name)) at = rawEnd(text, at, tag.name);
    else if (!VOID.has(tag.name)) open.push(tag.name);
    if (open.length > maxDepth)
      return `The page has more than ${maxDepth} elements within one another, the most that are read.`;
  }
}

interface FoundTag {
  /** Lower-case name; empty if it is no tag: a comment, a declaration, a single `<`. */
  readonly name: string;
  readonly closes: boolean;
  /** Offset after the last character. */
  readonly end: number;
}

const NAME = /<(\/?)([a-z][^\s/>]*)/iy;

function readTag(text: string, at: number): FoundTag {
  NAME.lastIndex = at;
  const found = NAME.exec(text);
  if (!found) return { name: "", closes: false, end: noTagEnd(text, at) };
  const [all, slash, name = ""] = found;
  // No element has a longer name, and long names would be compared many times.
  return { name: name.slice(0, 64).toLowerCase(), closes: slash === "/", end: tagEnd(text, at + all.length) };
}

/** A comment ends at the earliest possible position, so that the text after it counts. */
function noTagEnd(text: string, at: number): number {
  if (text.startsWith("<!--", at)) return behind(text, "-->", at + 2);
  return text[at + 1] === "!" || text[at + 1] === "?" ? behind(text, ">", at) : at + 1;
}

/** Offset after the `>`, ignoring those in quoted values. */
function tagEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    at += 1;
    if (code === GREATER) return at;
    if (code !== EQUALS) continue;
    while (/\s/.test(text.charAt(at))) at += 1;
    const quote = text.charAt(at);
    if (quote === '"' || quote === "'") at = behind(text, quote, at + 1);
  }
  return at;
}

function rawEnd(text: string, from: number, name: string): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

function behind(text: string, sign: string, from: number): number {
  const found = text.indexOf(sign, from);
  return found < 0 ? text.length : found + sign.length;
}

const GREATER = 0x3e;
const EQUALS = 0x3d;

/** Elements without an end. */
const VOID: ReadonlySet<string> = new Set([
  ...["area", "base", "basefont", "br", "col", "command", "embed", "frame", "hr", "img", "input", "isindex", "keygen"],
  ...["link", "meta", "param", "source", "track", "wbr"],
]);

/** Elements that contain only text. */
const RAW: ReadonlySet<string> = new Set(["script", "style", "title", "textarea", "xmp"]);

const PARAGRAPH: ReadonlySet<string> = new Set(["p"]);
const BLOCKS = [
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "address", "article", "aside", "blockquote", "details", "div", "dl"],
  ...[
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "pre",
    "section",
    "table",
    "ul",
  ],
];

/** Elements that the beginning of another element closes, by the latter's name. */
const CLOSED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...BLOCKS.map((name) => [name, PARAGRAPH] as const),
  ["li", new Set(["li"])],
  ["tr", new Set(["tr", "th", "td"])],
  ["th", new Set(["th"])],
  ["td", new Set(["thead", "th", "td"])],
  ["dd", new Set(["dd", "dt"])],
  ["dt", new Set(["dd", "dt"])],
  ["rt", new Set(["rt", "rp"])],
  ["rp", new Set(["rt", "rp"])],
  ["option", new Set(["option"])],
  ["optgroup", new Set(["option", "optgroup"])],
]);
