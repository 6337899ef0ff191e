// Looks at JSON text before and after the parser: how deep it nests, and where it broke. Knows no meaning of the values.

/** True where brackets nest deeper than `limit`; strings do not count. Looks at each character once and does not recurse. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
      if (depth > limit) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return false;
}

/** Where `message`, the SyntaxError of JSON.parse for `text`, says the fault is, as `line 3 column 7`; else as much as is known. */
export function faultPosition(text: string, message: string): string {
  const stated = /line \d+ column \d+/.exec(message);
  if (stated) return stated[0];
  if (/end of JSON input/.test(message)) return positionOf(text, text.length);
  const at = firstStrayToken(text);
  return positionOf(text, at ?? 0);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** V8 gives no position for "Unexpected token": it is the first token that can stand nowhere, or not at its place. */
function firstStrayToken(text: string): number | undefined {
  const token = /[ \t\r\n]*(?:([{}[\]:,])|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|("))/y;
  const open: string[] = [];
  let expected = "value";
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(text);
    const start = found ? token.lastIndex - (found[1] ?? found[2] ?? '"').length : skipSpace(text, at);
    if (!found) return start;
    const kind = found[1] ?? (found[2] ? "literal" : "string");
    if (kind === "string") token.lastIndex = endOfString(text, start) + 1;
    const next = step(kind, expected, open);
    if (next === undefined) return start;
    expected = next;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}

/** The grammar of JSON as "what may come now → what may come next"; `undefined` where the token may not. */
function step(kind: string, expected: string, open: string[]): string | undefined {
  const takesValue = expected === "value" || expected === "value or ]";
  if (kind === "{" && takesValue) {
    open.push("{");
    return "key or }";
  }
  if (kind === "[" && takesValue) {
    open.push("[");
    return "value or ]";
  }
  if (kind === "literal" && takesValue) return "end";
  if (kind === "string" && takesValue) return "end";
  if (kind === "string" && expected.startsWith("key")) return "colon";
  if (kind === ":" && expected === "colon") return "value";
  if (kind === "," && expected === "end" && open.length > 0) return open.at(-1) === "{" ? "key" : "value";
  const closes =
    (expected === "end" && open.at(-1)) || (expected === "key or }" && "{") || (expected === "value or ]" && "[");
  if ((kind === "}" && closes === "{") || (kind === "]" && closes === "[")) {
    open.pop();
    return "end";
  }
  return undefined;
}

function positionOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return `line ${before.split("\n").length} column ${at - lineStart + 1}`;
}
