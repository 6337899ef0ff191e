// Pages of the web as a tool, as the configuration has it. Knows nothing of how a page is fetched or read.
import type { ComponentAction } from "./componentActions.ts";

/** Reads the pages that models name. Nothing of a page counts as anybody's word but its author's. */
export interface WebScraperComponent {
  readonly type: "web-scraper";
  readonly id: string;
  readonly description: string;
  /** Where pages may be; absent: at every public host, on the port of its scheme. */
  readonly hosts?: readonly HostPattern[] | undefined;
  /** Where they may not be, whatever `hosts` says. */
  readonly except: readonly HostPattern[];
  /** Whether a site's robots.txt is asked first. */
  readonly robots: "respect" | "ignore";
  /** The header; robots.txt knows the gateway by the word that it begins with. */
  readonly userAgent: string;
  /** How often a page that is elsewhere is followed. */
  readonly redirects: number;
  /** How many of a page's links are listed behind its text. */
  readonly links: number;
  /** Bytes of a page, uncompressed. */
  readonly maxBytes: number;
  readonly bounds: PageBounds;
  /** One, of the component's own name. */
  readonly actions: readonly WebScraperAction[];
}

interface WebScraperAction extends ComponentAction {
  /** Milliseconds of one call. */
  readonly timeoutMs: number;
}

/** What a page may cost that is taken apart. */
export interface PageBounds {
  readonly maxElements: number;
  /** Elements within one another. */
  readonly maxDepth: number;
  /** Milliseconds. */
  readonly parseMs: number;
}

/** A host as it is written: its name or address, `*.` before a name for all that is below it, or `*` for any. */
export interface HostPattern {
  readonly host: string;
  /** Absent: that of the scheme. */
  readonly port?: number | undefined;
}
