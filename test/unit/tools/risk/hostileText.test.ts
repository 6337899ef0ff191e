// Statements and commands that nobody sane would write: what they cost, and what quoting makes of any text.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { assessCall, callDanger } from "../../../../src/tools/risk/assessCall.ts";
import { assessCommand } from "../../../../src/tools/risk/shell/commandRisk.ts";
import { splitCommand } from "../../../../src/tools/risk/shell/splitCommand.ts";
import { StatementAssessor } from "../../../../src/tools/risk/sql/StatementAssessor.ts";
import type { Tool } from "../../../../src/tools/Tool.ts";
import { DANGEROUS_STATEMENTS, HARMLESS_STATEMENTS } from "../../../fixtures/risk/statements.ts";
import { sampleOf } from "../../../support/sample.ts";

const TOOL = {
  parameters: {
    type: "object",
    properties: {
      sql: { type: "string", format: "sql" },
      line: { type: "string", format: "command" },
      argv: { type: "array", format: "argv" },
    },
  },
};

const UNITS = [
  ...[
    "a ",
    "a,",
    "(",
    "((1) ",
    "'",
    "\\'",
    "''",
    '"',
    "`",
    "[",
    "$$",
    "$a$",
    "/*",
    "*/",
    "/*/*",
    "--\n",
    "#\n",
    "-- ",
    "/*!",
    "::",
    "a[",
  ],
  ...[
    "NOT ",
    "- ",
    "CASE ",
    "CASE WHEN a THEN ",
    "f(",
    "x.",
    "1=",
    "a OR ",
    "1 OR ",
    "a=a OR ",
    "EXPLAIN ",
    "EXPLAIN;",
    "WITH x AS (",
    "DROP ",
  ],
  ...[
    "DELETE FROM t WHERE id=7 ",
    "DELETE FROM t WHERE id=7;",
    "UPDATE t SET a=1 WHERE (id=7) AND ",
    "DELETE FROM t USING (",
  ],
  ...[
    "MERGE INTO t ON a=b WHEN THEN ",
    "MERGE INTO t ON a=b WHEN THEN UPDATE ",
    "THEN ",
    "DELETE FROM t WHERE f(1,",
    "GRANT ",
    "INTO ",
  ],
  ...[
    "PREPARE ",
    " COPY ",
    "UPDATE ",
    "UPDATE a ",
    "PRAGMA ",
    "TOP(",
    "DELETE TOP (1) ",
    "t.t.",
    "env ",
    "A=1 ",
    "-a ",
    "git -c ",
    "timeout 5 ",
  ],
  ...[
    "-- \r",
    "// \u2028'",
    "\u00a0a",
    "q'[",
    "'''",
    '"""',
    'U&"\\0061" ',
    "SET a = 1, ",
    "SET (",
    "COPY a (",
    "CREATE OR REPLACE ",
    "CREATE FUNCTION f AS 'x' ",
    "ALTER ",
    "ALTER t RENAME a TO b, ",
    "trim(a FROM '/a' ",
    "a.a.a.a.",
    "a.a(",
    "EXEC a.",
    "OPEN a FOR ",
    "GRANT a ",
  ],
  ...[
    "a LIKE ",
    "a LIKE 'b' OR ",
    "a NOT LIKE a AND ",
    "a IN (SELECT a FROM t WHERE ",
    "a IN (SELECT a FROM t) OR ",
    "EXISTS (SELECT 1 FROM (",
    "EXISTS (SELECT 1 FROM t WHERE ",
    "a IN (SELECT a FROM (",
  ],
];

/** Every sign that dialects read differently, so that all readings are made. */
const ALL_READINGS = "/*/* */ */ # // -- \\ $a$ q' '''''' [ ] \" \" || \r\u00a0\u2028 /*! */ ";

/** Milliseconds of the processor, so that others on the machine do not count; the least of three, since collecting garbage does. */
function cost(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

/** As long as anything that is looked into can be. */
function filled(unit: string): string {
  return unit.repeat(Math.floor(39_000 / JSON.stringify(unit).length));
}

describe("what it costs", () => {
  test.each(sampleOf(UNITS, 8))("%j over and over takes no more than its length", (unit) => {
    for (const start of ["", "DELETE FROM t WHERE ", "DELETE FROM t WHERE id = 7 AND "])
      expect(cost(() => assessCall(TOOL, { sql: start + filled(unit) }))).toBeLessThan(400);
    expect(cost(() => assessCall(TOOL, { line: filled(unit) }))).toBeLessThan(400);
    expect(cost(() => assessCall(TOOL, { argv: filled(unit).split(" ") }))).toBeLessThan(400);
  });

  test.each(sampleOf(UNITS, 8))(
    "%j in a text that every dialect reads differently takes no more than its length",
    (unit) => {
      // As many characters as are looked into in so many readings.
      const sql = (ALL_READINGS + unit.repeat(2_000)).slice(0, 1_600);
      expect(cost(() => assessCall(TOOL, { sql }))).toBeLessThan(400);
    },
  );

  test("a text with more readings than can be checked is not let through unread", () => {
    const sql = ALL_READINGS + "a, ".repeat(10_000);
    expect(assessCall(TOOL, { sql })).toMatchObject({ rule: "unread" });
  });

  test("a megabyte of hostile SQL is answered within 50 ms", () => {
    const sql = "DELETE FROM t WHERE id = 7 /* '\\ */;".repeat(30_000);
    expect(cost(() => assessCall(TOOL, { sql }))).toBeLessThan(50);
  });
});

/** Harmless statements that fill 30,000 characters, the numbered one different from all others. */
const statements = (number: number): string => `SELECT ${number}; ${"SELECT a FROM t WHERE b = 1; ".repeat(1_030)}`;

describe("StatementAssessor", () => {
  const many = Array.from({ length: 40 }, (_, number) => statements(number));

  test("parses no text once all SQL of a call is beyond the bound", () => {
    const sql = new StatementAssessor();
    expect(many.map((text) => sql.assess(text)?.rule)).toEqual([undefined, ...Array(39).fill("unread")]);
    expect(sql.isSpent).toBe(true);
  });

  test("assesses an equal text once", () => {
    const sql = new StatementAssessor();
    expect(Array.from({ length: 100 }, () => sql.assess(statements(1)))).toEqual(Array(100).fill(undefined));
    expect(sql.isSpent).toBe(false);
  });

  test("counts thousands of short texts", () => {
    const sql = new StatementAssessor();
    const found = Array.from({ length: 10_000 }, (_, number) => sql.assess(`SELECT ${number}`));
    expect(found.filter((one) => one?.rule === "unread").length).toBeGreaterThan(7_000);
  });

  test.each([
    ["options of one program", ["psql", ...many.flatMap((text) => ["-c", text])]],
    ["a program behind another", ["env", "psql", ...many.flatMap((text) => ["-c", text])]],
    ["a program behind an unknown one", ["launch", ...many.flatMap((text) => ["psql", "-c", text])]],
    ["one long text behind an unknown program", ["launch", "psql", "-c", many.join("")]],
    ["the last of many texts", ["launch", "psql", "-c", statements(1), "-c", statements(2), "-c", "DROP TABLE t"]],
  ])("has a person asked about more than its bound in %s", (_, argv) => {
    expect(assessCommand(argv)).toMatchObject({ rule: "unread" });
  });

  test("shares its bound between the arguments of a call and its command", () => {
    const spec = { name: "db", description: "", parameters: TOOL.parameters };
    const tool = { spec, command: () => ({ argv: ["psql", "-c", statements(2)] }) } as unknown as Tool;
    expect(callDanger(tool, {})).toBeUndefined();
    expect(callDanger(tool, { sql: statements(1) })).toMatchObject({ rule: "unread" });
  });
});

describe("assessCall", () => {
  const unread = {
    get items(): never {
      throw new Error("The value was read.");
    },
  };

  test("reads no value where the schema declares no statement and no command", () => {
    const parameters = { type: "object", properties: { a: { type: "object", properties: { items: {} } } } };
    expect(assessCall({ parameters }, { a: unread })).toBeUndefined();
    const beside = { ...parameters, properties: { ...parameters.properties, sql: { format: "sql" } } };
    expect(assessCall({ parameters: beside }, { a: unread, sql: "DROP TABLE t" })).toMatchObject({ rule: "drop" });
  });

  test("asks about more values than it searches", () => {
    const items = { anyOf: Array.from({ length: 50 }, () => ({ type: "string", format: "sql" })) };
    const parameters = { type: "object", properties: { all: { type: "array", items } } };
    const all = Array.from({ length: 20_000 }, (_, number) => number);
    expect(assessCall({ parameters }, { all })).toMatchObject({ rule: "unread" });
    expect(assessCall({ parameters }, { all: all.slice(0, 500) })).toBeUndefined();
  });

  test("asks about a list of 90,000 statements", () => {
    const parameters = { type: "object", properties: { all: { type: "array", items: { format: "sql" } } } };
    expect(assessCall({ parameters }, { all: Array(90_000).fill("SELECT 1") })).toMatchObject({ rule: "unread" });
  });
});

describe("any text", () => {
  const soup = fc.array(fc.oneof(fc.constantFrom(...UNITS), fc.string({ unit: "binary" })), { maxLength: 60 });

  test("is read without a failure", () => {
    fc.assert(
      fc.property(soup, (parts) => {
        const text = parts.join("");
        assessCall(TOOL, { sql: text, line: text, argv: parts });
      }),
    );
  });

  test("in the quotes of a statement is harmless", () => {
    const plain = soup.map((parts) => parts.join("").replace(/[\\\0]/g, ""));
    fc.assert(
      fc.property(plain, (text) => {
        const sql = `SELECT '${text.replaceAll("'", "''")}'`;
        expect(assessCall(TOOL, { sql })).toBeUndefined();
      }),
    );
  });

  test("in the quotes of a command is one word, as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (words) => {
        const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
        expect(splitCommand(line)).toEqual({ type: "words", words });
      }),
    );
  });

  test("as a word of a list is not what a shell would make of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (word) => {
        expect(assessCall(TOOL, { argv: ["echo", word.replaceAll("\0", "")] })).toBeUndefined();
      }),
    );
  });
});

test("a danger stays one among harmless statements, in whatever capitals and spaces", () => {
  const open = /[-#]|\/\*|\\|\$\$|\[/;
  const [bad, good] = [DANGEROUS_STATEMENTS, HARMLESS_STATEMENTS].map((list) => list.filter((one) => !open.test(one)));
  fc.assert(
    fc.property(
      fc.constantFrom(...(bad ?? [])),
      fc.constantFrom(...(good ?? [])),
      fc.constantFrom(" ", "\n\t", " /* */ "),
      (one, other, space) => {
        const explained = /^EXPLAIN/.test(one);
        const text = explained ? one : one.replaceAll(" ", space);
        expect(assessCall(TOOL, { sql: `${other};${text}` })).toBeDefined();
        expect(assessCall(TOOL, { sql: `${one.toLowerCase()};${other}` })).toBeDefined();
      },
    ),
  );
});
