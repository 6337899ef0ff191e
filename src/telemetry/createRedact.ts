// The one redactor: takes secrets out of text that is about to be written anywhere. Does not know where the text goes.
import type { Redact } from "../core/ports.ts";

/**
 * Builds the redactor of the process. It replaces the given values in every spelling in which they tend to appear (as they are,
 * URL-encoded, JSON-escaped, base64) and what has the form of a key whosoever it is: bearer tokens and `sk-…`.
 * The replacement never breaks a JSON line, since no pattern reaches over a quote or a backslash.
 * @param secrets values of the configuration; those under four characters are dummies ("x") and would blot out ordinary text.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const spellings = new Set(secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(spellingsOf));
  // Longest first, so that a secret which contains another one is replaced whole.
  const known = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => {
    let redacted = text;
    for (const secret of known) redacted = redacted.replaceAll(secret, REPLACEMENT);
    return redacted.replaceAll(BEARER, `$1${REPLACEMENT}`).replaceAll(KEY, REPLACEMENT);
  };
}

const REPLACEMENT = "[redacted]";
const SHORTEST_SECRET = 4;
/** RFC 6750: the token's alphabet; eight characters, so that prose about "bearer tokens" stays readable. */
const BEARER = /\b(bearer\s+)[A-Za-z0-9\-._~+/]{8,}=*/gi;
const KEY = /\bsk-[A-Za-z0-9_-]{8,}/g;

function spellingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret, "utf8").toString("base64");
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64, base64.replaceAll("=", "")];
}
