// Removes content of a document that users do not read, and simplifies the rest. Does not select the article.
import type { PageDocument, PageElement, PageNode } from "./Dom.ts";
import { createHiddenTest } from "./hiddenElements.ts";
import { resolvePicture } from "./lazyImages.ts";
import { stripInvisible } from "./stripInvisible.ts";

const ELEMENT = 1;
const COMMENT = 8;

/** Elements without readable content. */
const UNREAD: ReadonlySet<string> = new Set([
  ...["script", "style", "template", "svg", "object", "embed", "canvas", "audio", "video", "iframe", "link", "dialog"],
  ...["button", "input", "select", "textarea", "datalist", "progress", "meter"],
]);

/** Maximum length of an address in characters; a longer one contains data. */
const MOST_ADDRESS = 2_000;

/**
 * Removes hidden elements, comments and elements without text. Addresses become absolute, or are removed if they lead to no
 * page. Lazy images are resolved, and formulas become text. @param page the document's own address.
 */
export function cleanDocument(document: PageDocument, page: string): void {
  const root = document.documentElement;
  if (!root) return;
  const isHidden = createHiddenTest(document);
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", page)?.href ?? page;
  walk(root, (node) => {
    if (node.nodeType === COMMENT) return remove(node);
    if (!isElement(node)) return clearText(node);
    if (node.localName === "body" || node.localName === "html") return "enter";
    if (UNREAD.has(node.localName) || isHidden(node)) return remove(node);
    CLEARINGS.get(node.localName)?.(node, { document, base });
    return node.parentNode || node.localName === "noscript" ? "enter" : "leave";
  });
}

function clearText(node: PageNode): "leave" {
  const { textContent } = node;
  const seen = stripInvisible(textContent);
  if (seen !== textContent) node.textContent = seen;
  return "leave";
}

type Clearing = { readonly document: PageDocument; readonly base: string };

/** Handlers by element name. */
const CLEARINGS = new Map<string, (element: PageElement, clearing: Clearing) => void>([
  ["math", (element) => element.replaceWith(readFormula(element))],
  ["noscript", unwrapNoscript],
  ["title", titleInText],
  ["br", breakInCode],
  ["a", (element, { base }) => setOrRemove(element, "href", resolveAddress(element.getAttribute("href"), base))],
  ["img", (element, { base }) => setOrRemove(element, "src", resolveAddress(resolvePicture(element), base))],
  ["frame", (element, clearing) => element.replaceWith(linkTo(element, clearing))],
]);

/** A title outside of the head is not part of the text. */
function titleInText(element: PageElement): void {
  if (!element.closest("head")) element.remove();
}

function breakInCode(element: PageElement): void {
  if (element.closest("pre")) element.replaceWith("\n");
}

/** Fallback content for clients without scripts: the image that a script would load, or the text itself. */
function unwrapNoscript(element: PageElement): void {
  const picture = element.querySelector("img");
  const before = element.previousElementSibling;
  if (element.closest("head")) element.remove();
  else if (picture && before?.localName === "img" && before.getAttribute("src")) element.remove();
  else if (picture && before?.localName === "img") {
    before.remove();
    element.replaceWith(...element.childNodes);
  } else element.replaceWith(...element.childNodes);
}

/** The TeX source of a formula if the page has it; otherwise its text. */
function readFormula(math: PageElement): string {
  const written = math.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
  const tex = (written ?? math.getAttribute("alttext") ?? "").trim();
  return tex === "" ? math.textContent.replace(/\s+/g, " ") : `$${tex}$`;
}

function linkTo(frame: PageElement, { document, base }: Clearing): PageElement {
  const link = document.createElement("p");
  const anchor = document.createElement("a");
  const url = resolveAddress(frame.getAttribute("src"), base);
  anchor.textContent = frame.getAttribute("title") ?? frame.getAttribute("name") ?? url ?? "";
  if (url !== undefined) anchor.setAttribute("href", url);
  link.replaceChildren(anchor);
  return link;
}

/** Returns undefined for addresses that are no page or file: scripts, data, fragments. */
function resolveAddress(written: string | null | undefined, base: string): string | undefined {
  const text = written?.trim() ?? "";
  if (text === "" || text.startsWith("#")) return undefined;
  const url = URL.parse(text, base);
  const isPage = url?.protocol === "https:" || url?.protocol === "http:" || url?.protocol === "mailto:";
  return isPage && url.href.length <= MOST_ADDRESS ? url.href : undefined;
}

function setOrRemove(element: PageElement, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

function remove(node: PageNode): "leave" {
  node.remove();
  return "leave";
}

function isElement(node: PageNode): node is PageElement {
  return node.nodeType === ELEMENT;
}

/**
 * Visits each node before its children, without recursion, because a page may be deep. A visit may remove or replace its
 * node.
 */
function walk(root: PageElement, visit: (node: PageNode) => "enter" | "leave"): void {
  const left: PageNode[] = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    const within = isElement(node) ? [...node.childNodes] : [];
    if (visit(node) === "enter") for (const child of within.reverse()) left.push(child);
  }
}
