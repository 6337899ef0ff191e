// How one kind of element is written as Markdown. Knows no kind.
import type { PageElement } from "./Dom.ts";

export interface MarkdownRule {
  readonly filter: (element: PageElement) => boolean;
  /** @param content what is within it, written. */
  readonly replacement: (content: string, element: PageElement) => string;
}

export function matchElements(...names: readonly string[]): MarkdownRule["filter"] {
  const all: ReadonlySet<string> = new Set(names);
  return ({ nodeName }) => all.has(nodeName.toLowerCase());
}

export function collapseLines(content: string): string {
  return content.trim().replace(/\n\s*/g, " ");
}
