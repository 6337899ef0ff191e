// What a person is asked about before it runs, and what looks like it and is let through.
import { describe, expect, test } from "@jest/globals";
import { findDanger } from "../../../src/tools/danger/findDanger.ts";
import { DANGEROUS_STATEMENTS, HARMLESS_STATEMENTS } from "./statements.ts";

const SQL = { type: "object", properties: { query: { type: "string", format: "sql" } } };

describe("statements", () => {
  test.each(DANGEROUS_STATEMENTS)("a person is asked about: %s", (query) => {
    expect(findDanger({ parameters: SQL }, { query })).toMatchObject({ reason: expect.stringMatching(/\S/) });
  });

  test.each(HARMLESS_STATEMENTS)("nobody is asked about: %s", (query) => {
    expect(findDanger({ parameters: SQL }, { query })).toBeUndefined();
  });

  test.each([
    ["DELETE FROM orders", "`DELETE` without `WHERE` empties the table orders"],
    [
      "UPDATE shop.orders SET a = 1 WHERE 1 = 1",
      "the `WHERE` of `UPDATE` holds for every row: it changes every row of the table shop.orders",
    ],
    ["DROP TABLE IF EXISTS orders", "`DROP TABLE` removes orders with all that is in it"],
  ])("the reason of %s is for a person", (query, reason) => {
    expect(findDanger({ parameters: SQL }, { query })?.reason).toBe(reason);
  });
});

describe("where statements stand", () => {
  const query = "DROP TABLE orders";

  test("a text that no schema calls SQL is not looked into", () => {
    expect(
      findDanger({ parameters: { type: "object", properties: { query: { type: "string" } } } }, { query }),
    ).toBeUndefined();
    expect(findDanger({}, { query })).toBeUndefined();
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
    expect(findDanger({ parameters: { type: "object", properties: { deep: schema } } }, { deep: value })).toMatchObject(
      { rule: "drop" },
    );
  });

  test("more than anybody would read is not let through unread", () => {
    const long = `SELECT ${"1, ".repeat(50_000)} 1`;
    expect(findDanger({ parameters: SQL }, { query: long })).toMatchObject({ rule: "unread" });
  });
});
