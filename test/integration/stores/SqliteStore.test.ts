// The store in SQLite: the contract, in memory and in a file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "@jest/globals";
import { createLazyStore } from "../../../src/stores/lazyStore.ts";
import { SqliteStore, type SqliteStoreOptions } from "../../../src/stores/SqliteStore.ts";
import { STORE } from "../../support/defaults.ts";
import { describeStore } from "../../support/stores/contract.ts";
import { describeEvidenceStore } from "../../support/stores/evidenceStoreContract.ts";

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-store-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function inFile(clock: SqliteStoreOptions["clock"]) {
  files += 1;
  return SqliteStore.open({ ...STORE, file: join(folder, `${files}.db`), clock });
}

describeStore("the store in a file", async (clock) => inFile(clock));

describeStore("the store in memory, opened late", async (clock) =>
  createLazyStore(() => SqliteStore.open({ ...STORE, clock })),
);

describeEvidenceStore("the store in memory", async ({ now }) => {
  const clock = { now, monotonic: () => performance.now(), sleep: async () => {} };
  return (await SqliteStore.open({ ...STORE, clock })).evidence;
});
