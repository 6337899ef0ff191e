// Takes out of a document what nobody reads, and puts what is read into its plainest form. Decides nothing about what is the article.
import type { PageDocument, PageElement, PageNode } from "./Dom.ts";
import { createHiddenTest } from "./hiddenElements.ts";
import { resolvePicture } from "./lazyImages.ts";
import { stripInvisible } from "./stripInvisible.ts";

const ELEMENT = 1;
const COMMENT = 8;

/** What holds nothing to read, whatever is in it. */
const UNREAD: ReadonlySet<string> = new Set([
  ...["script", "style", "template", "svg", "object", "embed", "canvas", "audio", "video", "iframe", "link", "dialog"],
  ...["button", "input", "select", "textarea", "datalist", "progress", "meter"],
]);

/** Characters of an address; a longer one holds data. */
const MOST_ADDRESS = 2_000;

/**
 * Hidden elements, comments and what holds no text are gone; addresses are whole, or gone where they lead to no page; pictures that are
 * loaded late stand where they are seen; formulas are text.
 * @param page the document's own address.
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

/** What becomes of an element, by its name. */
const CLEARINGS = new Map<string, (element: PageElement, clearing: Clearing) => void>([
  ["math", (element) => element.replaceWith(readFormula(element))],
  ["noscript", unwrapNoscript],
  ["title", titleInText],
  ["br", breakInCode],
  ["a", (element, { base }) => setOrRemove(element, "href", resolveAddress(element.getAttribute("href"), base))],
  ["img", (element, { base }) => setOrRemove(element, "src", resolveAddress(resolvePicture(element), base))],
  ["frame", (element, clearing) => element.replaceWith(linkTo(element, clearing))],
]);

/** That of a page without a head; the other is none of the text. */
function titleInText(element: PageElement): void {
  if (!element.closest("head")) element.remove();
}

function breakInCode(element: PageElement): void {
  if (element.closest("pre")) element.replaceWith("\n");
}

/** What pages have for those without scripts: the picture that a script would have loaded, or the text itself. */
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

/** As it is written in TeX, where the page says it; else what it says. */
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

/** Undefined for what is no address of a page or a file: scripts, data, places within the page. */
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

/** Visits each node before those within it, in no call of its own: a page may be deep. A visit may take its node away, or put others in its place. */
function walk(root: PageElement, visit: (node: PageNode) => "enter" | "leave"): void {
  const left: PageNode[] = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    const within = isElement(node) ? [...node.childNodes] : [];
    if (visit(node) === "enter") for (const child of within.reverse()) left.push(child);
  }
}
