// What a person is asked about before it runs, and what looks like it and is let through.
import { describe, expect, test } from "@jest/globals";
import { assessCall } from "../../../../src/tools/risk/assessCall.ts";
import { DANGEROUS_COMMANDS, HARMLESS_COMMANDS } from "../../../fixtures/risk/commands.ts";
import { DANGEROUS_STATEMENTS, DOUBTED_STATEMENTS, HARMLESS_STATEMENTS } from "../../../fixtures/risk/statements.ts";
import { idsOf, payload } from "../../../support/adversarial/payloads.ts";

const SQL = { type: "object", properties: { query: { type: "string", format: "sql" } } };

describe("statements", () => {
  test.each([...DANGEROUS_STATEMENTS, ...DOUBTED_STATEMENTS])("a person is asked about: %s", (query) => {
    expect(assessCall({ parameters: SQL }, { query })).toMatchObject({ reason: expect.stringMatching(/\S/) });
  });

  test.each(HARMLESS_STATEMENTS)("nobody is asked about: %s", (query) => {
    expect(assessCall({ parameters: SQL }, { query })).toBeUndefined();
  });

  test.each([
    ["DELETE FROM orders", "`DELETE` without `WHERE` empties the table orders"],
    [
      "UPDATE shop.orders SET a = 1 WHERE 1 = 1",
      "the `WHERE` of `UPDATE` may hold for every row: then it changes every row of the table shop.orders",
    ],
    ["DROP TABLE IF EXISTS orders", "`DROP TABLE` removes orders with all that is in it"],
  ])("the reason of %s is for a person", (query, reason) => {
    expect(assessCall({ parameters: SQL }, { query })?.reason).toBe(reason);
  });
});

const LINE = { type: "object", properties: { line: { type: "string", format: "command" } } };
const ARGV = { type: "object", properties: { argv: { type: "array", items: { type: "string" }, format: "argv" } } };

describe("commands", () => {
  test.each(DANGEROUS_COMMANDS)("a person is asked about: %s", (line) => {
    expect(assessCall({ parameters: LINE }, { line })).toMatchObject({ reason: expect.stringMatching(/\S/) });
  });

  test.each(HARMLESS_COMMANDS)("nobody is asked about: %s", (line) => {
    expect(assessCall({ parameters: LINE }, { line })).toBeUndefined();
  });

  test.each([
    [["rm", "-rf", "build"], { rule: "delete" }],
    [[" rm ", "-rf", "build"], { rule: "delete" }],
    [["echo", "a; rm -rf /", "$(x)", "* ? [a-z] ~ $HOME %PATH% !! {a,b}"], undefined],
    [["ls", "a\0b"], { rule: "unread" }],
    [["ls", "\udcff"], { rule: "unread" }],
    [[], undefined],
  ])("a list of words is what it is, without a shell: %j", (argv, danger) => {
    const found = assessCall({ parameters: ARGV }, { argv });
    if (danger) expect(found).toMatchObject(danger);
    else expect(found).toBeUndefined();
  });
});

describe("hostile commands", () => {
  /** Lines without anything for a shell, whose program is started by another: dangerous as the program is. */
  const STARTED = ["SB-009", "SB-018", "SB-019", "SB-020", "SB-043"];

  test.each(idsOf("shell_bypass").filter((id) => !STARTED.includes(id)))(
    "a person is asked about the line %s",
    (id) => {
      expect(assessCall({ parameters: LINE }, { line: payload(id) })).toMatchObject({
        reason: expect.stringMatching(/\S/),
      });
    },
  );

  test.each(STARTED)("the program behind the line %s is what is judged", (id) => {
    const line = payload(id);
    expect(assessCall({ parameters: LINE }, { line })).toBeUndefined();
    const worse = line.replace(/touch|to""uch/, 'r""m -rf');
    expect(assessCall({ parameters: LINE }, { line: worse })).toMatchObject({ rule: "delete" });
  });

  test.each([...idsOf("shell_bypass"), ...idsOf("argv_injection")])("%s as one word is one word", (id) => {
    const word = payload(id);
    const found = assessCall({ parameters: ARGV }, { argv: ["ls", "--", word] });
    // NUL and ill-formed text are nothing that a program can be given.
    if (id === "AV-007" || id === "AV-012") expect(found).toMatchObject({ rule: "unread" });
    else expect(found).toBeUndefined();
  });
});

describe("where statements stand", () => {
  const query = "DROP TABLE orders";

  test("a text that no schema calls SQL is not looked into", () => {
    expect(
      assessCall({ parameters: { type: "object", properties: { query: { type: "string" } } } }, { query }),
    ).toBeUndefined();
    expect(assessCall({}, { query })).toBeUndefined();
  });

  test.each([
    ["in a list", { type: "array", items: { format: "sql" } }, ["SELECT 1", query]],
    ["in an object", { type: "object", properties: { text: { format: "sql" } } }, { text: query }],
    [
      "under a name that the schema leaves open",
      { type: "object", additionalProperties: { format: "sql" } },
      { any: query },
    ],
    ["in one of several forms", { anyOf: [{ type: "null" }, { type: "string", format: "sql" }] }, query],
  ])("one is found %s", (_, schema, value) => {
    expect(assessCall({ parameters: { type: "object", properties: { deep: schema } } }, { deep: value })).toMatchObject(
      { rule: "drop" },
    );
  });

  test("more than anybody would read is not let through unread", () => {
    const long = `SELECT ${"1, ".repeat(50_000)} 1`;
    expect(assessCall({ parameters: SQL }, { query: long })).toMatchObject({ rule: "unread" });
  });
});
