// Commands that only look leave nothing behind: no store, no folder, no file, where this user keeps nothing yet.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { runPostel } from "../../support/cli/runPostel.ts";

let home: string;
let temporary: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "postel-home-"));
  temporary = join(home, "tmp");
  mkdirSync(temporary);
});
afterEach(() => rmSync(home, { recursive: true }));

const at = (words: readonly string[], input = "") => runPostel(words, input, { HOME: home, TMPDIR: temporary });
const left = () => readdirSync(home, { recursive: true });

it.each<[string, number, string[]]>([
  ["models", 0, ["models"]],
  ["a model", 0, ["models", "leaked-xml"]],
  ["tools", 0, ["tools"]],
  ["runs", 0, ["runs"]],
  ["sessions", 0, ["sessions"]],
  ["an agent", 0, ["agent", "explain", "default", "--model", "leaked-xml"]],
  ["the configuration", 0, ["validate"]],
  ["what a run would ask", 0, ["run", "Hello", "--model", "leaked-xml", "--dry-run"]],
  ["a record that is not there", 1, ["audit", "verify"]],
  ["a store that is not there", 1, ["data", "export", "local"]],
])("of %s", async (_, status, words) => {
  const ended = await at(words);
  expect([ended.status, left()]).toEqual([status, ["tmp"]]);
});

it("but of a chat, which is kept where the note says", async () => {
  const { status, err } = await at(["chat", "--model", "leaked-xml"], "/exit\n");
  const store = join(".local", "state", "postel", "postel.db");
  expect([status, err]).toEqual([0, expect.stringContaining(join(home, store))]);
  expect(left().filter((path) => String(path).endsWith(".db"))).toEqual([store]);
});
