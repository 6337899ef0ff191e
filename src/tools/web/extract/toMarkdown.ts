// Writes an element of a cleaned document as Markdown for a model.
import TurndownService from "turndown";
import type { PageElement } from "./Dom.ts";
import { collapseLines, type MarkdownRule, matchElements } from "./MarkdownRule.ts";
import { createTableRules } from "./tableMarkdown.ts";

/** Maximum characters of link text; a longer link becomes plain text. */
const MOST_LINKED = 300;

/** The element's own items are numbered on the way: each would count all before it otherwise. */
export function toMarkdown(element: PageElement): string {
  for (const list of element.querySelectorAll("ol")) numberItems(list);
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
    hr: "---",
    br: "",
  });
  service.escape = asWritten;
  for (const [name, { filter, replacement }] of Object.entries({ ...rules, ...createTableRules })) {
    service.addRule(name, {
      filter: (node) => filter(node as unknown as PageElement),
      replacement: (content, node) => replacement(content, node as unknown as PageElement),
    });
  }
  const written = service.turndown(element as unknown as Parameters<TurndownService["turndown"]>[0]);
  return written
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** A model reads the plain text; only a Markdown renderer would need the backslashes. */
function asWritten(text: string): string {
  return text;
}

const ORDINAL = "data-ordinal";

function numberItems(list: PageElement): void {
  let ordinal = Number.parseInt(list.getAttribute("start") ?? "", 10) || 1;
  for (const item of list.children) {
    if (item.localName !== "li") continue;
    item.setAttribute(ORDINAL, String(ordinal));
    ordinal += 1;
  }
}

const rules: Readonly<Record<string, MarkdownRule>> = {
  code: { filter: matchElements("pre"), replacement: (_, pre) => fenced(pre) },
  item: { filter: matchElements("li"), replacement: listItem },
  link: { filter: matchElements("a"), replacement: linked },
  picture: { filter: matchElements("img"), replacement: (_, image) => picture(image) },
  term: { filter: matchElements("dt"), replacement: (content) => `\n\n**${collapseLines(content)}**\n` },
  meaning: {
    filter: matchElements("dd"),
    replacement: (content) => `\n: ${content.trim().replaceAll("\n", "\n  ")}\n`,
  },
  struck: {
    filter: matchElements("del", "s", "strike"),
    replacement: (content) => (content.trim() ? `~~${content}~~` : ""),
  },
  caption: { filter: matchElements("figcaption"), replacement: (content) => `\n\n*${collapseLines(content)}*\n\n` },
  raised: {
    filter: matchElements("sup"),
    replacement: (content) => (/^[\w+-]{1,10}$/.test(content) ? `^${content}` : content),
  },
};

function listItem(content: string, item: PageElement): string {
  const ordinal = item.getAttribute(ORDINAL);
  const mark = ordinal === null ? "- " : `${ordinal}. `;
  return `${mark}${content.trim().replace(/\n(?!\n)/g, `\n${" ".repeat(mark.length)}`)}\n`;
}

function linked(content: string, link: PageElement): string {
  const href = link.getAttribute("href");
  const text = collapseLines(content);
  const holdsBlocks = text.length > MOST_LINKED || /^#|\n\n/.test(content.trim());
  return href === null || text === "" || holdsBlocks || text === href ? content : `[${text}](${inParentheses(href)})`;
}

function picture(image: PageElement): string {
  const src = image.getAttribute("src");
  const alt = collapseLines(image.getAttribute("alt") ?? "");
  return src === null ? alt : `![${alt}](${inParentheses(src)})`;
}

function inParentheses(url: string): string {
  return url.replaceAll("(", "%28").replaceAll(")", "%29");
}

/** Writes a code block with its language, fenced by more backticks than it contains. */
function fenced(pre: PageElement): string {
  const text = pre.textContent.replace(/^\n|\s+$/g, "");
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(Math.min(longest + 1, 64));
  return `\n\n${fence}${detectLanguage(pre)}\n${text}\n${fence}\n\n`;
}

/** Language by a highlighter class of the element, its only child, or its parent. */
function detectLanguage(pre: PageElement): string {
  const code = pre.firstElementChild?.localName === "code" ? pre.firstElementChild : undefined;
  for (const element of [code, pre, pre.parentNode]) {
    const classes = (element?.getAttribute("class") ?? "").slice(0, 1_000);
    const found = /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([\w+#.-]{1,30})/.exec(classes)?.[1];
    if (found !== undefined) return found;
  }
  return "";
}
