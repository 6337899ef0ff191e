// The lexical rules in which SQL dialects differ, and the set of readings that a text needs.

/** A way to split SQL text into tokens. The risk of a text is that of its worst reading. */
export interface SqlDialect {
  /** End of a line comment: at a line feed, also at a carriage return, or at any Unicode line end. */
  readonly lineEnds: "lf" | "cr" | "any";
  /** True if spaces and format characters beyond ASCII separate words; otherwise they are letters of a name. */
  readonly unicodeSpaces: boolean;
  /** A block comment inside a block comment has an end of its own. */
  readonly nestedComments: boolean;
  /** `#` begins a line comment. */
  readonly hashComments: boolean;
  /** `//` begins a line comment. */
  readonly slashComments: boolean;
  /** Two dashes begin a comment only before ASCII white space. */
  readonly spacedDashes: boolean;
  /** The content of a block comment that begins with `!` or `M!` runs. */
  readonly runsComments: boolean;
  /** A backslash escapes the next character: in every string, or only in strings with the prefix E. */
  readonly backslashes: "all" | "marked";
  /** `$tag$ … $tag$` is a string. */
  readonly dollarQuotes: boolean;
  /** `q'[ … ]'` is a string. */
  readonly delimitedQuotes: boolean;
  /** `''' … '''` and `""" … """` are strings. */
  readonly tripleQuotes: boolean;
  /** `[a name]`. */
  readonly brackets: boolean;
  /** Double quotes delimit strings, not names. */
  readonly doubleQuotedStrings: boolean;
  /** `||` is OR, not a concatenation. */
  readonly pipesAreOr: boolean;
}

const POSTGRES: SqlDialect = {
  lineEnds: "lf",
  unicodeSpaces: true,
  nestedComments: true,
  hashComments: false,
  slashComments: false,
  spacedDashes: false,
  runsComments: false,
  backslashes: "marked",
  dollarQuotes: true,
  delimitedQuotes: false,
  tripleQuotes: false,
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
/** MySQL with `sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'`. */
const MYSQL_ANSI: SqlDialect = { ...MYSQL, backslashes: "marked", doubleQuotedStrings: false, pipesAreOr: false };
const SQLITE: SqlDialect = { ...POSTGRES, nestedComments: false, dollarQuotes: false, brackets: true };
const TRANSACT: SqlDialect = { ...SQLITE, nestedComments: true };
const ORACLE: SqlDialect = { ...SQLITE, brackets: false, delimitedQuotes: true };
const SNOWFLAKE: SqlDialect = { ...POSTGRES, nestedComments: false, slashComments: true, backslashes: "all" };
const CLICKHOUSE: SqlDialect = { ...SNOWFLAKE, slashComments: false, hashComments: true };
const SPARK: SqlDialect = { ...POSTGRES, backslashes: "all", dollarQuotes: false, doubleQuotedStrings: true };
const BIGQUERY: SqlDialect = { ...SPARK, nestedComments: false, hashComments: true, tripleQuotes: true };

const DIALECTS: readonly SqlDialect[] = [
  POSTGRES,
  MYSQL,
  MYSQL_ANSI,
  SQLITE,
  TRANSACT,
  ORACLE,
  SNOWFLAKE,
  CLICKHOUSE,
  SPARK,
  BIGQUERY,
];

/** Text that must occur for a rule to matter. */
const DISPUTED: Readonly<Record<keyof SqlDialect, RegExp>> = {
  lineEnds: /\r(?!\n)|[\v\f\x85\u2028\u2029]/,
  unicodeSpaces: /[\x80-\x9f\p{Cf}]|(?!\x20)\p{Z}/u,
  nestedComments: /\/\*[\s\S]*?\/\*/,
  hashComments: /#/,
  slashComments: /\/\//,
  spacedDashes: /--[^\0-\x20]/,
  runsComments: /\/\*M?!/i,
  backslashes: /\\/,
  dollarQuotes: /\$[^\s$]*\$/,
  delimitedQuotes: /q'/i,
  tripleQuotes: /'''|"""/,
  brackets: /\[/,
  doubleQuotedStrings: /"/,
  pipesAreOr: /\|\|/,
};

/** The dialects that read the text differently, with variants for line ends and spaces beyond ASCII. */
export function selectDialects(text: string): readonly SqlDialect[] {
  const disputed = (Object.keys(DISPUTED) as (keyof SqlDialect)[]).filter((rule) => DISPUTED[rule].test(text));
  const lineEnds = disputed.includes("lineEnds") ? (["lf", "cr", "any"] as const) : (["lf"] as const);
  const spaces = disputed.includes("unicodeSpaces") ? [true, false] : [true];
  const all = DIALECTS.flatMap((dialect) =>
    lineEnds.flatMap((end) => spaces.map((unicodeSpaces) => ({ ...dialect, lineEnds: end, unicodeSpaces }))),
  );
  return [...new Map(all.map((one) => [disputed.map((rule) => one[rule]).join(), one])).values()];
}
