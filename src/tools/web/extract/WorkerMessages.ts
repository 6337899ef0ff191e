// Messages between the gateway and its page worker threads.
import type { PageBounds } from "../../../core/config/webScraperComponent.ts";

/** A page to extract. */
export interface ExtractRequest {
  readonly url: string;
  readonly kind: "markup" | "text";
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Maximum number of links to return. */
  readonly links: number;
  readonly bounds: PageBounds;
}

interface PageLink {
  readonly text: string;
  readonly url: string;
}

export interface ReadPage {
  /** Empty if the page has none. */
  readonly title: string;
  /** The author, with the rest of the byline; only for an article. */
  readonly author?: string | undefined;
  /** The date in the page's own format. */
  readonly date?: string | undefined;
  /** Markdown, or the unchanged text. */
  readonly text: string;
  readonly links: readonly PageLink[];
}

/** `reason` is a sentence. */
export type ExtractResult =
  | { readonly type: "read"; readonly page: ReadPage }
  | { readonly type: "refused"; readonly reason: string };
