// Detects elements that users do not see: hidden text may be meant for a model. Computes no layout, so it judges by markup
// and styles.
import type { PageDocument, PageElement } from "./Dom.ts";

/** Characters of style sheets that are looked at. */
const MOST_STYLE = 262_144;
/** Characters of one element's style. */
const MOST_DECLARED = 2_000;

/** Returns a test that is true if an element is hidden by itself; its descendants are hidden too. */
export function createHiddenTest(document: PageDocument): (element: PageElement) => boolean {
  const selectors = hidingSelectors(document);
  return (element) =>
    element.hasAttribute("hidden") ||
    element.getAttribute("aria-hidden")?.trim().toLowerCase() === "true" ||
    hides(element.getAttribute("style") ?? "") ||
    isSizeless(element) ||
    isSelected(element, selectors);
}

/**
 * Classes and ids, with their prefix, that the page's own style sheets hide. Rules that only set opacity are ignored, because
 * a script may undo them.
 */
function hidingSelectors(document: PageDocument): ReadonlySet<string> {
  const found = new Set<string>();
  let left = MOST_STYLE;
  for (const { textContent } of document.querySelectorAll("style")) {
    const sheet = textContent.slice(0, left);
    left -= sheet.length;
    for (const { selectors, declarations } of plainRules(sheet))
      if (parseDeclarations(declarations).get("display")?.startsWith("none"))
        for (const selector of selectors) found.add(selector);
  }
  return found;
}

/** Unconditional rules, with those of their selectors that are a single class or id. */
function* plainRules(
  sheet: string,
): Generator<{ readonly selectors: readonly string[]; readonly declarations: string }> {
  let depth = 0;
  let start = 0;
  let head = "";
  for (const { 0: sign, index } of sheet.matchAll(/[{}]/g)) {
    const text = sheet.slice(start, index);
    start = index + 1;
    if (sign === "{") {
      if (depth === 0) head = text;
      depth += 1;
      continue;
    }
    depth = Math.max(0, depth - 1);
    if (depth === 0 && !head.includes("@")) {
      const selectors = head.replace(/\/\*[\s\S]*?\*\//g, "").split(",");
      yield { selectors: selectors.flatMap((one) => /^[.#][\w-]+$/.exec(one.trim())?.[0] ?? []), declarations: text };
      head = "@";
    }
  }
}

function isSelected(element: PageElement, selectors: ReadonlySet<string>): boolean {
  if (selectors.size === 0) return false;
  if (selectors.has(`#${element.getAttribute("id") ?? ""}`)) return true;
  const classes = element.getAttribute("class") ?? "";
  return classes !== "" && classes.split(/\s+/).some((name) => selectors.has(`.${name}`));
}

/** An image of one pixel tracks readers, and an invisible frame loads something. */
function isSizeless(element: PageElement): boolean {
  return ["width", "height"].some((side) => /^\s*[01](?:px)?\s*$/.test(element.getAttribute(side) ?? ""));
}

/** Returns true if an inline style hides the element; the last declaration of a property counts. */
function hides(style: string): boolean {
  if (style === "") return false;
  const said = parseDeclarations(style);
  const isCut = /^(?:hidden|clip)\b/.test(said.get("overflow") ?? "") && !hasPadding(said);
  return [...said].some(
    ([name, value]) =>
      (name === "display" && value.startsWith("none")) ||
      HIDING.get(name)?.(value) ||
      (isCut && SIZES.has(name) && /^[01](?:\.\d*)?(?:px)?$/.test(value)),
  );
}

const SIZES: ReadonlySet<string> = new Set(["width", "height", "max-width", "max-height"]);

const HIDING: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ["visibility", (value) => /^(?:hidden|collapse)\b/.test(value)],
  ["opacity", (value) => Number.parseFloat(value) < 0.1],
  ["font-size", (value) => Number.parseFloat(value) === 0 || /^[01](?:\.\d*)?(?:px|pt)$/.test(value)],
  ["color", (value) => /^transparent\b|^(?:rgb|hsl)a?\([^)]*[,/]\s*0(?:\.0*)?%?\s*\)/.test(value)],
  ["text-indent", isFarAway],
  ["left", isFarAway],
  ["right", isFarAway],
  ["top", isFarAway],
  ["clip", (value) => /^rect\((?:\s*[01](?:px)?[\s,]*){4}\)/.test(value)],
  ["clip-path", (value) => /^(?:inset\((?:50|100)%|circle\(0)/.test(value)],
  ["transform", (value) => /^scale[xy]?\(0[,)]/.test(value)],
]);

function isFarAway(value: string): boolean {
  return Number.parseFloat(value) <= -500;
}

/** Pages use a box of zero height with padding to reserve the shape of an image. */
function hasPadding(said: ReadonlyMap<string, string>): boolean {
  return [...said].some(([name, value]) => name.startsWith("padding") && Number.parseFloat(value) > 0);
}

function parseDeclarations(style: string): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const declaration of style.slice(0, MOST_DECLARED).toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    if (colon > 0) said.set(declaration.slice(0, colon).trim(), declaration.slice(colon + 1).trim());
  }
  return said;
}
