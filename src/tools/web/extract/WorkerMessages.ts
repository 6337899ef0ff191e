// What is said between the gateway and a thread that reads pages. Knows neither.
import type { PageBounds } from "../../../core/config/webScraperComponent.ts";

/** A page that is to be read. */
export interface ExtractRequest {
  readonly url: string;
  readonly kind: "markup" | "text";
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many of its links are wanted. */
  readonly links: number;
  readonly bounds: PageBounds;
}

interface PageLink {
  readonly text: string;
  readonly url: string;
}

export interface ReadPage {
  /** Empty where it has none. */
  readonly title: string;
  /** Who has written it, and what else stands in that line; of an article alone. */
  readonly author?: string | undefined;
  /** As the page writes it. */
  readonly date?: string | undefined;
  /** Markdown, or the text as it is. */
  readonly text: string;
  readonly links: readonly PageLink[];
}

/** `reason` is a sentence. */
export type ExtractResult =
  | { readonly type: "read"; readonly page: ReadPage }
  | { readonly type: "refused"; readonly reason: string };
