// A rule that writes one kind of element as Markdown.
import type { PageElement } from "./Dom.ts";

export interface MarkdownRule {
  readonly filter: (element: PageElement) => boolean;
  /** @param content Markdown of the element's content. */
  readonly replacement: (content: string, element: PageElement) => string;
}

export function matchElements(...names: readonly string[]): MarkdownRule["filter"] {
  const all: ReadonlySet<string> = new Set(names);
  return ({ nodeName }) => all.has(nodeName.toLowerCase());
}

export function collapseLines(content: string): string {
  return content.trim().replace(/\n\s*/g, " ");
}
