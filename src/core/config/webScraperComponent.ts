// Defines a loaded component of type `web-scraper`: web pages as a tool.
import type { ComponentAction } from "./componentActions.ts";

/** Reads the web pages that models name. Their content is untrusted. */
export interface WebScraperComponent {
  readonly type: "web-scraper";
  readonly id: string;
  readonly description: string;
  /** Allowed hosts; absent: every public host, on the port of its scheme. */
  readonly hosts?: readonly HostPattern[] | undefined;
  /** Forbidden hosts, whatever `hosts` says. */
  readonly except: readonly HostPattern[];
  /** `respect`: the robots.txt of a site is obeyed. */
  readonly robots: "respect" | "ignore";
  /** The `User-Agent` header; its first word identifies the gateway in robots.txt. */
  readonly userAgent: string;
  /** Maximum number of redirects. */
  readonly redirects: number;
  /** Maximum number of links listed after a page's text. */
  readonly links: number;
  /** Maximum bytes of an uncompressed page. */
  readonly maxBytes: number;
  readonly bounds: PageBounds;
  /** One action, with the component's own name. */
  readonly actions: readonly WebScraperAction[];
}

interface WebScraperAction extends ComponentAction {
  /** Timeout of one call in milliseconds. */
  readonly timeoutMs: number;
}

/** Limits for parsing a page. */
export interface PageBounds {
  readonly maxElements: number;
  /** Maximum depth of nested elements. */
  readonly maxDepth: number;
  /** Maximum milliseconds of parsing. */
  readonly parseMs: number;
}

/** A host pattern: a name or address, `*.` before a name for all its subdomains, or `*` for any host. */
export interface HostPattern {
  readonly host: string;
  /** Absent: the port of the scheme. */
  readonly port?: number | undefined;
}
