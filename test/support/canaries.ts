// Secrets that must turn up nowhere, and the ways in which they could be written.

/** Different from their second character on, in letters of all kinds. */
export function canaries(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const digits = ((index + 1) * 7_919_113).toString(36);
    return `${digits.slice(-4)}Zq-${index % 3 === 0 ? "/+=" : "_."}Canary${index % 5 === 0 ? 'ü"\\' : ""}${digits}`;
  });
}

const unicode = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A name that reads on from "written …", and the encoder. */
export const ENCODINGS: readonly (readonly [string, (secret: string) => string])[] = [
  ["as it is", (secret) => secret],
  ["in a JSON text", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["with every character as a JSON escape", unicode],
  ["URL-encoded", encodeURIComponent],
  ["with every byte URL-encoded", (secret) => Buffer.from(secret).toString("hex").replace(/../g, "%$&")],
  ["in hexadecimal", (secret) => Buffer.from(secret).toString("hex").toUpperCase()],
  ["in base64", (secret) => Buffer.from(secret).toString("base64")],
  ["in base64url behind something else", (secret) => Buffer.from(`u:${secret}`).toString("base64url")],
];

/** What of a text gives a secret away: any of its beginnings of six characters, in any encoding. */
export function leaksOf(text: string, secrets: readonly string[]): readonly string[] {
  // However often it was written as JSON again, and in either case.
  const plain = (some: string): string => some.toLowerCase().replaceAll(/\\+/g, "\\");
  const searched = plain(text);
  return secrets.flatMap((secret) => {
    const head = [...secret].slice(0, 6).join("");
    // Behind something else only the middle of base64 is the secret's alone.
    const heads = ENCODINGS.map(([, encode], index) =>
      index === 7 ? encode(head).slice(3, 10) : encode(head).slice(0, index === 6 ? 8 : undefined),
    );
    return heads.filter((one) => searched.includes(plain(one))).map((one) => `${secret}: ${one}`);
  });
}
