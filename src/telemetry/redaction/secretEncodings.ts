// Lists the encodings that reveal a secret: plain text, hexadecimal and base64.

export interface SecretPattern {
  /** Code points; a run of backslashes counts as one, because how many there are depends on how often the text was escaped. */
  readonly codes: readonly number[];
  /** As many from the beginning give the secret away. */
  readonly least: number;
  /**
   * `text` is found in any escaping, `exact` only as it stands (for secrets that contain escapes). A `word` counts only as a complete word,
   * or it would remove prose. `hex` is found in either case.
   */
  readonly kind: "text" | "exact" | "word" | "hex" | "base64";
}

/** Characters: a shorter value is a dummy. As many of a longer one give it away. */
const SHORTEST = 6;

/** None for a value that is too short to be a secret. */
export function compileSecretPatterns(secret: string): readonly SecretPattern[] {
  const characters = [...secret];
  if (characters.length < SHORTEST) return [];
  if (isWord(secret)) return [{ codes: toCodes(secret), least: characters.length, kind: "word" }];
  const least = SHORTEST + publicHead(secret);
  const shortest = Buffer.from(characters.slice(0, least).join(""), "utf8").length;
  const bytes = Buffer.from(secret, "utf8");
  const plain = secret.replaceAll(/\\+/g, "\\");
  return [
    { codes: toCodes(plain), least: Math.min(least, [...plain].length), kind: "text" },
    ...(/[%&]/.test(secret) ? [{ codes: toCodes(secret), least, kind: "exact" } as const] : []),
    { codes: toCodes(bytes.toString("hex")), least: 2 * shortest, kind: "hex" },
    ...[0, 1, 2].flatMap((before) => base64Patterns(bytes, shortest, before)),
  ];
}

/** Returns true for a single word of letters, which users write where any key will do. */
function isWord(secret: string): boolean {
  return /^(?:[a-z]{1,15}|[A-Z][a-z]{0,14}|[A-Z]{1,15})$/.test(secret);
}

/** Number of characters of a signed token (JWT) that all tokens of its kind share: its first part only names the signature. */
function publicHead(secret: string): number {
  return /^eyJ[\w-]+\.(?=[\w-]+\.)/.exec(secret)?.[0].length ?? 0;
}

/**
 * In base64, three bytes are four characters, so a secret looks different after 0, 1 and 2 other bytes (`before`). Characters at its ends
 * that contain bits of adjacent bytes are left out.
 */
function base64Patterns(bytes: Buffer, shortest: number, before: number): readonly SecretPattern[] {
  const first = Math.ceil((before * 8) / 6);
  const findLastIndex = (length: number): number => Math.floor(((before + length) * 8) / 6);
  const encoded = Buffer.concat([Buffer.alloc(before), bytes])
    .toString("base64")
    .slice(first, findLastIndex(bytes.length));
  const least = findLastIndex(shortest) - first;
  const url = encoded.replaceAll("+", "-").replaceAll("/", "_");
  return [...new Set([encoded, url])].map((text) => ({ codes: toCodes(text), least, kind: "base64" }));
}

function toCodes(text: string): readonly number[] {
  return [...text].map((character) => character.codePointAt(0) ?? -1);
}
