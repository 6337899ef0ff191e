// Fetches a page within size limits; checks the component's rules and robots.txt for each address on the way.

import type { WebScraperComponent } from "../../core/config/webScraperComponent.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { discardBody, readBodyBytes } from "../../core/http/responseBody.ts";
import type { Egress, EgressResponse } from "../../core/ports.ts";
import { StatusError } from "../execution/errorHint.ts";
import { resolveRedirect } from "../http/followRedirects.ts";
import type { ToolContext } from "../Tool.ts";
import type { RobotsCache } from "./RobotsCache.ts";
import { parsePageUrl, validatePageUrl } from "./urlPolicy.ts";

/** Maximum size of a robots.txt in bytes; the rest is ignored (RFC 9309, 2.5). */
const ROBOTS_BYTES = 512_000;
/** Maximum number of redirects of a robots.txt (RFC 9309, 2.3.1.2). */
const ROBOTS_REDIRECTS = 5;

const ACCEPTED = "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1";

export interface FetchContext {
  readonly egress: Egress;
  readonly component: WebScraperComponent;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
  readonly robots: RobotsCache;
  readonly context: Pick<ToolContext, "run" | "signal">;
}

export interface FetchedPage {
  /** Address after all redirects. */
  readonly url: string;
  /** `markup`: to be parsed as HTML; `text`: used unchanged. */
  readonly kind: "markup" | "text";
  /** The header; empty if absent. */
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** @throws Error with a message for the model, PostelError of the egress. */
export async function fetchPage(written: string, way: FetchContext): Promise<FetchedPage> {
  const { redirects, maxBytes } = way.component;
  let url = parsePageUrl(written);
  for (let followed = 0; ; followed += 1) {
    await mayVisit(url, way);
    const response = await send(url, way);
    const target = resolveRedirect(response, url.href);
    if (!target) return readPage(response, url, maxBytes);
    await discardBody(response);
    if (followed === redirects)
      throw new Error(
        `The page was sent on more than ${redirects} times; the last place is ${target.href.slice(0, 500)}.`,
      );
    target.hash = "";
    url = target;
  }
}

/** @throws Error if the component or the site's robots.txt forbids it. */
async function mayVisit(url: URL, way: FetchContext): Promise<void> {
  const { component, context, robots } = way;
  const fault = validatePageUrl(url, component);
  if (fault !== undefined) throw new Error(fault);
  if (component.robots === "ignore") return;
  const product = /^[A-Za-z_-]+/.exec(component.userAgent)?.[0] ?? "";
  const fetched = () => robotsText(url.origin, way);
  if (await robots.allows(url, { ...context, product, fetched })) return;
  throw new Error(
    `The robots.txt of ${url.origin} does not let this page be read. The same again will not help: look for the text elsewhere.`,
  );
}

/** Resolves with undefined if a site has none, or redirects to an address that is not allowed. */
async function robotsText(origin: string, way: FetchContext): Promise<string | undefined> {
  let url = new URL("/robots.txt", origin);
  try {
    for (let followed = 0; followed <= ROBOTS_REDIRECTS; followed += 1) {
      const response = await send(url, way);
      const target = resolveRedirect(response, url.href);
      if (!target) return await readRobots(response, origin);
      await discardBody(response);
      if (validatePageUrl(target, way.component) !== undefined) return undefined;
      url = target;
    }
    return undefined;
  } catch (error) {
    throw error instanceof PostelError ? unreadable(origin, error) : error;
  }
}

async function readRobots(response: EgressResponse, origin: string): Promise<string | undefined> {
  const { status } = response;
  if (status >= 200 && status <= 299)
    return new TextDecoder().decode((await readBodyBytes(response, ROBOTS_BYTES)).bytes);
  await discardBody(response);
  if (status < 500) return undefined;
  throw new StatusError(status, `${unread(origin)} it answers with status ${status}.`);
}

function unreadable(origin: string, error: PostelError): PostelError {
  const { code, message, details } = error.failure;
  if (!code.startsWith("upstream_")) return error;
  return new PostelError(createFailure(code, `${unread(origin)} ${message}`, details), { cause: error });
}

function unread(origin: string): string {
  return `The robots.txt of ${origin} cannot be read, so none of its pages is:`;
}

function send(url: URL, { egress, component, headersMs, context }: FetchContext): Promise<EgressResponse> {
  return egress.send(
    {
      method: "GET",
      url: url.href,
      headers: { accept: ACCEPTED, "user-agent": component.userAgent },
      purpose: {
        kind: "tool",
        key: url.origin,
        run: context.run,
        scraper: component.id,
        repeatable: true,
        timers: { headersMs },
      },
    },
    context.signal,
  );
}

async function readPage(response: EgressResponse, url: URL, most: number): Promise<FetchedPage> {
  const { status, headers } = response;
  if (status < 200 || status > 299) {
    await discardBody(response);
    throw new StatusError(status, `${url.host} answered with status ${status}.`);
  }
  const contentType = headers["content-type"] ?? "";
  const kind = detectPageKind(contentType);
  const { bytes, isWhole } = await readBodyBytes(response, most);
  if (kind === undefined)
    throw new Error(unfit(contentType, isWhole ? `${bytes.length} bytes` : `more than ${most} bytes`));
  if (!isWhole) throw new Error(`The page is longer than ${most} bytes, the most that is read of one.`);
  return { url: url.href, kind, contentType, bytes };
}

/** Returns undefined if the type is neither a page nor a text. A missing type may be a page. */
function detectPageKind(contentType: string): FetchedPage["kind"] | undefined {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (type === "" || type === "text/html" || type === "application/xhtml+xml") return "markup";
  return /^text\/|^application\/(?:json|xml|x-ndjson)$|\+(?:json|xml)$/.test(type) && !type.startsWith("image/")
    ? "text"
    : undefined;
}

function unfit(contentType: string, size: string): string {
  const type = (contentType.split(";", 1)[0] ?? "").trim().slice(0, 100);
  const what = type === "application/pdf" ? "a PDF document" : `of the type ${JSON.stringify(type)}`;
  return `This is no page but ${what} (${size}); pages, plain text, Markdown and JSON can be read. Look for the same as a page.`;
}
