// A store that a version wrote which did not yet keep what is kept today: it is read all the same, and what is not known counts as the worse.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { STORE } from "../../support/defaults.ts";

let file: string;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "postel-older-")), "store.db");
});
afterEach(() => rmSync(join(file, ".."), { recursive: true }));

const talk = { owner: "ada", id: "talk" };
const empty = { owner: "ada", id: "empty" };
const open = () => SqliteStore.open({ ...STORE, file, clock: new ManualClock() });

/** As it was before sessions said whether a stranger's text was read in them. */
function withoutMarks(): void {
  const raw = new DatabaseSync(file);
  raw.exec("alter table sessions drop column untrusted_from");
  raw.exec("alter table runs drop column seal");
  raw.exec("drop table seal_keys");
  raw.exec("delete from kysely_migration where name >= '0007'");
  raw.close();
}

it("a session that had messages counts as one in which a stranger's text was read; one that had none does not", async () => {
  const before = await open();
  await before.sessions.open(talk, {});
  await before.sessions.append(talk, [{ role: "user", content: "Read the page." }]);
  await before.sessions.open(empty, {});
  await before.close();
  withoutMarks();
  const store = await open();
  expect(await store.sessions.get(talk)).toMatchObject({ messages: 1, untrusted: true });
  expect(await store.sessions.messages(talk)).toHaveLength(1);
  expect(await store.sessions.get(empty)).not.toHaveProperty("untrusted");
  await store.sessions.cut(talk, 0);
  expect(await store.sessions.get(talk)).not.toHaveProperty("untrusted");
  await store.close();
});
