// SQL text as tokens, as one of four kinds of databases would read it. Knows characters; what a statement does is not asked here.

/**
 * Words are told in capitals; a name that was quoted is no word, and is told as it stands in its quotes. A string is told by what is
 * in it, as far as plain quotes go.
 */
export interface SqlToken {
  readonly type: "word" | "name" | "string" | "number" | "variable" | "sign";
  readonly text: string;
}

/** Where databases disagree about what is code and what is not: a text is as dangerous as its worst reading. */
export interface SqlDialect {
  /** A comment in a comment has an end of its own. */
  readonly nestedComments: boolean;
  /** `#` begins a comment. */
  readonly hashComments: boolean;
  /** Two dashes begin a comment only where white space follows. */
  readonly spacedDashes: boolean;
  /** What stands in a comment that begins with `!` runs. */
  readonly runsComments: boolean;
  /** A backslash escapes the next character: in every string, or in those with an E before them. */
  readonly backslashes: "all" | "marked";
  readonly dollarQuotes: boolean;
  /** `[a name]`. */
  readonly brackets: boolean;
  /** Double quotes stand around strings, not names. */
  readonly doubleQuotedStrings: boolean;
  /** Two pipes are an OR, not a concatenation. */
  readonly pipesAreOr: boolean;
}

const POSTGRES: SqlDialect = {
  nestedComments: true,
  hashComments: false,
  spacedDashes: false,
  runsComments: false,
  backslashes: "marked",
  dollarQuotes: true,
  brackets: false,
  doubleQuotedStrings: false,
  pipesAreOr: false,
};

const MYSQL: SqlDialect = {
  ...POSTGRES,
  nestedComments: false,
  hashComments: true,
  spacedDashes: true,
  runsComments: true,
  backslashes: "all",
  dollarQuotes: false,
  doubleQuotedStrings: true,
  pipesAreOr: true,
};

const SQLITE: SqlDialect = { ...POSTGRES, nestedComments: false, dollarQuotes: false, brackets: true };

const TRANSACT: SqlDialect = { ...SQLITE, nestedComments: true };

const DIALECTS: readonly SqlDialect[] = [POSTGRES, MYSQL, SQLITE, TRANSACT];

/** What the dialects read differently. */
const DISPUTED = /[\\#$[\]|"]|--|\/\*/;

/** The dialects whose readings of a text can differ. */
export function dialectsFor(text: string): readonly SqlDialect[] {
  return DISPUTED.test(text) ? DIALECTS : [POSTGRES];
}

/** All tokens, comments left out. Text of any kind is read, in time linear in its length: what has no end ends with it. */
export function sqlTokens(text: string, dialect: SqlDialect): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let at = 0; at < text.length; ) {
    const blank = blankEnd(text, at, dialect);
    if (blank !== undefined) {
      at = blank;
      continue;
    }
    const quoted = quotedEnd(text, at, dialect);
    const token = quoted === undefined ? plainToken(text, at) : quotedToken(text, at, quoted, dialect);
    tokens.push(token);
    at = quoted ?? at + token.text.length;
    if (token.type === "word") tokens[tokens.length - 1] = { type: "word", text: token.text.toUpperCase() };
  }
  return tokens;
}

/** Whatever some database takes for white space is that. */
const SPACE = /[\s\p{Cc}\u180e\u200b]+/uy;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
/** What is filled in by whoever runs the statement. */
const VARIABLE = /\$\d+|[@:]{1,2}[A-Za-z_]\w*|\?\d*|%s|%\(\w+\)s|\{\{?\s*\w+\s*\}?\}/y;
/** A word may hold any letter beyond ASCII. */
const WORD = /[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*|\$[\w$]*/y;
const SIGN = /<=>|<>|!=|<=|>=|==|\|\||&&|::|->>|->|:=|[\s\S]/y;

const PLAIN: readonly { readonly type: SqlToken["type"]; readonly pattern: RegExp; readonly begins: RegExp }[] = [
  { type: "word", pattern: WORD, begins: /[A-Za-z_\x80-\uffff]/ },
  { type: "number", pattern: NUMBER, begins: /[\d.]/ },
  // `a::text` is a cast.
  { type: "sign", pattern: /::/y, begins: /:/ },
  { type: "variable", pattern: VARIABLE, begins: /[$@:?%{]/ },
  { type: "word", pattern: WORD, begins: /\$/ },
];

function plainToken(text: string, at: number): SqlToken {
  const first = text.charAt(at);
  for (const { type, pattern, begins } of PLAIN) {
    const found = begins.test(first) ? matchAt(pattern, text, at) : "";
    if (found !== "") return { type, text: found };
  }
  return { type: "sign", text: matchAt(SIGN, text, at) };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : "";
}

/** Where white space or a comment that starts here ends; undefined where none starts. */
function blankEnd(text: string, at: number, dialect: SqlDialect): number | undefined {
  const space = matchAt(SPACE, text, at).length;
  if (space > 0) return at + space;
  // The end of a comment that runs.
  if (dialect.runsComments && text.startsWith("*/", at)) return at + 2;
  return commentEnd(text, at, dialect);
}

/** Where a comment that starts here ends; undefined where none starts. */
function commentEnd(text: string, at: number, dialect: SqlDialect): number | undefined {
  if (text.startsWith("/*", at)) return blockEnd(text, at, dialect);
  const dashes = text.startsWith("--", at) && (!dialect.spacedDashes || /^[\s\0]?$/.test(text.charAt(at + 2)));
  if (!dashes && !(dialect.hashComments && text[at] === "#")) return undefined;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function blockEnd(text: string, at: number, dialect: SqlDialect): number {
  if (dialect.runsComments && text[at + 2] === "!") {
    const version = /\d*/y;
    version.lastIndex = at + 3;
    return at + 3 + (version.exec(text)?.[0].length ?? 0);
  }
  const mark = dialect.nestedComments ? /\/\*|\*\//g : /\*\//g;
  mark.lastIndex = at + 2;
  let depth = 1;
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

/** Where a string or a quoted name that starts here ends; undefined where none starts. */
function quotedEnd(text: string, at: number, dialect: SqlDialect): number | undefined {
  const quote = text.charAt(at);
  if (quote === "$" && dialect.dollarQuotes) return dollarEnd(text, at);
  if (quote === "[" && dialect.brackets) return closedBy(text, at + 1, "]", false);
  if (quote !== "'" && quote !== '"' && quote !== "`") return undefined;
  const escapes = dialect.backslashes === "all" ? quote !== "`" : quote === "'" && isMarked(text, at);
  return closedBy(text, at + 1, quote, escapes);
}

/** Whether an E that is a word of its own stands before the quote. */
function isMarked(text: string, at: number): boolean {
  return /[Ee]/.test(text.charAt(at - 1)) && !/[\w$\x80-\uffff]/.test(text.charAt(at - 2));
}

/** Two closing quotes are one quote inside. */
function closedBy(text: string, from: number, close: string, escapes: boolean): number {
  for (let at = from; at < text.length; at++) {
    if (escapes && text[at] === "\\") at++;
    else if (text[at] === close) {
      if (text[at + 1] !== close) return at + 1;
      at++;
    }
  }
  return text.length;
}

function dollarEnd(text: string, at: number): number | undefined {
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]{0,63})?\$/uy;
  tag.lastIndex = at;
  const mark = tag.exec(text)?.[0];
  // A `$` within a word is one of its letters.
  if (mark === undefined || /[\w\u0080-\uffff]/.test(text[at - 1] ?? "")) return undefined;
  const close = text.indexOf(mark, at + mark.length);
  return close < 0 ? text.length : close + mark.length;
}

function quotedToken(text: string, at: number, end: number, dialect: SqlDialect): SqlToken {
  const quote = text.charAt(at);
  const opening = quote === "$" ? text.indexOf("$", at + 1) - at + 1 : 1;
  const inside = text.slice(at + opening, Math.max(end - opening, at + opening));
  if (quote === "'" || quote === "$" || (quote === '"' && dialect.doubleQuotedStrings))
    return { type: "string", text: inside.replaceAll("''", "'") };
  return { type: "name", text: inside };
}
