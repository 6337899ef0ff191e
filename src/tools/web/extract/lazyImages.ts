// Finds the address of a lazily loaded image.
import type { PageElement } from "./Dom.ts";

/** Attributes from which scripts load an image when it becomes visible; the first present one counts. */
const LATE = ["data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-hi-res-src"];
const LATE_SETS = ["data-srcset", "data-lazy-srcset", "srcset"];

/** The address as written; undefined if there is none. */
export function resolvePicture(image: PageElement): string | undefined {
  const late = LATE.flatMap((name) => image.getAttribute(name) ?? [])[0];
  const src = image.getAttribute("src") ?? "";
  if (late !== undefined) return late;
  if (src !== "" && !src.startsWith("data:")) return src;
  const sets = LATE_SETS.flatMap((name) => image.getAttribute(name) ?? []);
  const beside = image.closest("picture")?.querySelector("source[srcset], source[data-srcset]");
  const ofSource = beside?.getAttribute("srcset") ?? beside?.getAttribute("data-srcset");
  return [...sets, ofSource ?? ""].flatMap((set) => takeFirstSource(set))[0];
}

/** `a.jpg 1x, b.jpg 2x`: the first is as good as any. */
function takeFirstSource(set: string): readonly string[] {
  const [first = ""] = set.trim().split(/[\s,]+/, 1);
  return first === "" || first.startsWith("data:") ? [] : [first];
}
