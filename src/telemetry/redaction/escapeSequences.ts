// Decodes escape sequences of JSON and programming languages, URLs, HTML and XML.

export const BACKSLASH_CODE = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;

export const ESCAPE_SIGNS: readonly number[] = [BACKSLASH_CODE, PERCENT, AMPERSAND];

export interface Spelling {
  readonly code: number;
  /** Offset after the sequence. */
  readonly end: number;
}

export function isEscapeSign(code: number): boolean {
  return code === BACKSLASH_CODE || code === PERCENT || code === AMPERSAND;
}

/** Returns every reading of the escape at `at`, at any depth of escaping; empty if there is no escape. */
export function matchSpellings(text: string, at: number): readonly Spelling[] {
  switch (text.charCodeAt(at)) {
    case BACKSLASH_CODE:
      return backslashed(text, at);
    case PERCENT:
      return percentEncoded(text, at);
    case AMPERSAND:
      return entity(text, at);
    default:
      return [];
  }
}

/** Returns true if an escape at `at` may encode one of these code units. Cheaper than all spellings: most escapes encode a line break. */
export function mayBegin(beginnings: Uint8Array, text: string, at: number): boolean {
  if (text.charCodeAt(at) !== BACKSLASH_CODE) return true;
  let next = at;
  while (text.charCodeAt(next) === BACKSLASH_CODE) next += 1;
  const sign = text.charCodeAt(next);
  if (sign === 0x75 || sign === 0x78) return true;
  return beginnings[sign] === 1 || beginnings[SHORT.get(text[next] ?? "") ?? 0] === 1;
}

const SHORT: ReadonlyMap<string, number> = new Map([
  ["n", 0x0a],
  ["r", 0x0d],
  ["t", 0x09],
  ["b", 0x08],
  ["f", 0x0c],
]);

/** However many: text that was written as JSON twice has three of them before a quote. */
function backslashed(text: string, at: number): readonly Spelling[] {
  let next = at;
  while (text.charCodeAt(next) === BACKSLASH_CODE) next += 1;
  const sign = text[next] ?? "";
  const readings: Spelling[] = [{ code: BACKSLASH_CODE, end: next }];
  const bare = text.codePointAt(next);
  if (bare !== undefined) readings.push({ code: bare, end: next + (bare > 0xffff ? 2 : 1) });
  const short = SHORT.get(sign);
  if (short !== undefined) readings.push({ code: short, end: next + 1 });
  const digits = sign === "u" ? 4 : sign === "x" ? 2 : 0;
  const code = digits === 0 ? undefined : parseHex(text, next + 1, digits);
  if (code !== undefined) readings.push(appendLowSurrogate(text, { code, end: next + 1 + digits }));
  return readings;
}

function appendLowSurrogate(text: string, high: Spelling): Spelling {
  if (high.code < 0xd800 || high.code > 0xdbff) return high;
  let next = high.end;
  while (text.charCodeAt(next) === BACKSLASH_CODE) next += 1;
  const low = next > high.end && text[next] === "u" ? parseHex(text, next + 1, 4) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) return high;
  return { code: 0x10000 + (high.code - 0xd800) * 0x400 + (low - 0xdc00), end: next + 5 };
}

/** The bytes of one character in UTF-8, each `%XX`; encoded again, `%25XX`. */
function percentEncoded(text: string, at: number): readonly Spelling[] {
  const first = percentByte(text, at);
  if (!first) return [];
  const more = first.code >= 0xf0 ? 3 : first.code >= 0xe0 ? 2 : first.code >= 0xc0 ? 1 : 0;
  // `%2541` is `%41`, if it was encoded once.
  if (more === 0) return first.end === at + 3 ? [first] : [first, { code: PERCENT, end: first.end - 2 }];
  let code = first.code & (0x3f >> more);
  let { end } = first;
  for (let count = 0; count < more; count += 1) {
    const byte = percentByte(text, end);
    if (!byte) return [];
    code = code * 0x40 + (byte.code & 0x3f);
    end = byte.end;
  }
  return [{ code, end }];
}

function percentByte(text: string, at: number): Spelling | undefined {
  if (text.charCodeAt(at) !== PERCENT) return undefined;
  let digits = at + 1;
  while (text.startsWith("25", digits) && parseHex(text, digits + 2, 2) !== undefined) digits += 2;
  const code = parseHex(text, digits, 2);
  return code === undefined ? undefined : { code, end: digits + 2 };
}

const NAMED: ReadonlyMap<string, number> = new Map([
  ["amp", 0x26],
  ["lt", 0x3c],
  ["gt", 0x3e],
  ["quot", 0x22],
  ["apos", 0x27],
]);
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/iy;

function entity(text: string, at: number): readonly Spelling[] {
  ENTITY.lastIndex = at;
  const [encoded = "", hex, decimal, name = ""] = ENTITY.exec(text) ?? [];
  const code = hex !== undefined ? Number.parseInt(hex, 16) : decimal !== undefined ? Number(decimal) : NAMED.get(name);
  return code === undefined ? [] : [{ code, end: at + encoded.length }];
}

function parseHex(text: string, at: number, digits: number): number | undefined {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const digit = HEX[text.charCodeAt(index)] ?? 0;
    if (digit === 0) return undefined;
    value = value * 16 + digit - 1;
  }
  return value;
}

/** By code unit: the digit's value plus one, 0 for other characters. */
const HEX = new Uint8Array(0x10000);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  HEX[digit.charCodeAt(0)] = value + 1;
  HEX[digit.toUpperCase().charCodeAt(0)] = value + 1;
}
