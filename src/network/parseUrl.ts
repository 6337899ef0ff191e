// Parses URLs and caches the result for each spelling.

import { setBounded } from "../core/async/setBounded.ts";
import type { EgressRequest } from "../core/ports.ts";

export interface Address {
  /** Scheme, host and port, as a URL spells them. */
  readonly origin: string;
  /** Includes the query. */
  readonly path: string;
  readonly protocol: string;
  readonly host: string;
  readonly holdsCredentials: boolean;
}

/** A model's URL is always the same text. URLs of tools contain arguments, so only a limited number is cached, and no long one. */
const MOST_KNOWN = 256;
const MOST_CHARS = 2_048;
const known = new Map<string, Address | undefined>();

/** Returns undefined if the text is no URL. */
export function parseAddress(url: string): Address | undefined {
  const found = known.get(url);
  if (found || known.has(url)) return found;
  const address = readAddress(url);
  if (url.length > MOST_CHARS) return address;
  setBounded(known, { key: url, value: address, maxSize: MOST_KNOWN });
  return address;
}

function readAddress(text: string): Address | undefined {
  const url = URL.parse(text);
  if (!url) return undefined;
  const { origin, protocol, host, username, password } = url;
  const holdsCredentials = username !== "" || password !== "";
  return {
    origin,
    path: `${url.pathname}${url.search}`,
    protocol,
    host,
    holdsCredentials,
  };
}

/** Returns the origin of the request, or the key of its purpose if the URL is invalid. The guard reports the invalid URL. */
export function resolveOrigin({ url, purpose }: EgressRequest): string {
  return parseAddress(url)?.origin ?? purpose.key;
}
