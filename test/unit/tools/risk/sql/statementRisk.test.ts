// Statements that reach the server, over all dialects: each is asked about; what only looks like one is not.

import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, test } from "@jest/globals";
import fc from "fast-check";
import { assessStatement } from "../../../../../src/tools/risk/sql/statementRisk.ts";
import { HARMLESS_LOOKALIKES, SERVER_STATEMENTS } from "../../../../fixtures/risk/serverStatements.ts";
import { runsOf } from "../../../../support/sample.ts";

describe.each(Object.entries(SERVER_STATEMENTS))("statementDanger finds %s", (_, statements) => {
  test.each(statements.map((statement) => [JSON.stringify(statement), statement]))("%s", (_shown, statement) => {
    expect(assessStatement(statement)).toMatchObject({ reason: expect.stringMatching(/^\S.*\S$/) });
  });
});

describe.each(Object.entries(HARMLESS_LOOKALIKES))("statementDanger leaves alone %s", (_, statements) => {
  test.each(statements.map((statement) => [JSON.stringify(statement), statement]))("%s", (_shown, statement) => {
    expect(assessStatement(statement)).toBeUndefined();
  });
});

describe("statementDanger and capitals", () => {
  const plain = Object.values(SERVER_STATEMENTS)
    .flat()
    .filter((statement) => !/["`[\\]|q'/.test(statement));

  test.each(plain.map((statement) => [JSON.stringify(statement.toLowerCase()), statement]))("%s", (_, statement) => {
    expect(assessStatement(statement.toLowerCase())).toBeDefined();
  });
});

describe("statementDanger among other statements", () => {
  it("finds each behind a harmless statement", () => {
    for (const statement of Object.values(SERVER_STATEMENTS).flat())
      expect([statement, assessStatement(`SELECT 1;\n${statement}`)]).not.toContain(undefined);
  });

  it("finds none where two harmless statements follow each other", () => {
    const harmless = Object.values(HARMLESS_LOOKALIKES)
      .flat()
      // What stands in these reads on into the next statement.
      .filter((statement) => !/[\\#]|--|\/\/|''''?|""|\$\$|^EXPLAIN/.test(statement));
    for (const [index, statement] of harmless.entries()) {
      const both = `${statement};\n${harmless[(index + 1) % harmless.length]}`;
      expect([both, assessStatement(both)?.reason]).toEqual([both, undefined]);
    }
  });
});

describe("statementDanger and what SQLite does", () => {
  const run = (sql: string) => {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (NULL, NULL)");
    try {
      database.exec(sql);
    } catch {
      // The statements before the one that failed have run.
    }
    try {
      const [row] = database.prepare("SELECT count(*) AS rows, count(nullif(b, 'z')) AS kept FROM t").all();
      return row?.rows === 0 ? "emptied" : row?.kept === 0 ? "overwritten" : "kept";
    } catch {
      return "dropped";
    } finally {
      database.close();
    }
  };

  const text = fc.array(
    fc.constantFrom(
      ...[
        "DROP TABLE t",
        "DELETE FROM t",
        "UPDATE t SET b = 'z'",
        "ALTER TABLE t RENAME TO u",
        ";",
        ";",
        "SELECT 1",
        " ",
      ],
      ...["--", "\r", "\n", "\u2028", "\u00a0", "\u0085", "\f", "\0", "/*", "*/", "/*!", "#", "//", "\\", "x"],
      ...["'", "''", '"', "`", "[", "]", "$$", "q'[", "'''", "E'", "(", ")", " WHERE ", "a", "1", " OR ", "="],
    ),
    { maxLength: 14 },
  );

  it("finds every text that empties, overwrites, renames or drops a table of a real SQLite", () => {
    let harmful = 0;
    fc.assert(
      fc.property(text, (parts) => {
        const sql = parts.join("");
        const effect = run(sql);
        // A condition on the rows' own values is not judged.
        if (effect === "kept" || /WHERE[^;]*[ab]/.test(sql)) return;
        harmful++;
        expect([sql, effect, assessStatement(sql)]).not.toContain(undefined);
      }),
      { numRuns: runsOf(3000) },
    );
    expect(harmful).toBeGreaterThan(30);
  });

  const constant = fc.constantFrom("0", "1", "2", "NULL", "'a'", "'1'", "''", "-1", "1.5", "TRUE", "FALSE");
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { depthSize: "small" },
      constant,
      fc
        .tuple(constant, fc.constantFrom("=", "<>", "<", ">=", " IS ", " LIKE ", "+"), constant)
        .map((parts) => parts.join("")),
      fc.tuple(tie("condition"), fc.constantFrom(" OR ", " AND "), tie("condition")).map((parts) => parts.join("")),
      tie("condition").map((inner) => `NOT (${inner})`),
      fc.tuple(constant, constant, constant).map(([one, low, high]) => `${one} BETWEEN ${low} AND ${high}`),
      fc.tuple(constant, constant, constant).map(([one, ...list]) => `${one} IN (${list.join()})`),
    ),
  }));

  it("finds every condition of constants that holds for a real SQLite", () => {
    fc.assert(
      fc.property(condition, (where) => {
        const sql = `DELETE FROM t WHERE ${where}`;
        if (run(sql) === "emptied") expect([sql, assessStatement(sql)]).not.toContain(undefined);
      }),
      { numRuns: runsOf(2000) },
    );
  });
});
