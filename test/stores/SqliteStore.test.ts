// The store in SQLite: the contract, in memory and in a file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "@jest/globals";
import { SqliteStore } from "../../src/stores/SqliteStore.ts";
import { describeStore } from "./contract.ts";
import { describeEvidenceStore } from "./evidenceStoreContract.ts";

const LIMITS = { maxBytes: 1_000_000_000, maxMemories: 100 };

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-store-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function inFile(clock: ConstructorParameters<typeof SqliteStore>[0]["clock"]) {
  files += 1;
  return new SqliteStore({ ...LIMITS, file: join(folder, `${files}.db`), clock });
}

describeStore("the store in memory", async (clock) => new SqliteStore({ ...LIMITS, clock }));
describeStore("the store in a file", async (clock) => inFile(clock));

const waiting = { monotonic: () => performance.now(), sleep: async () => {} };
describeEvidenceStore(
  "the store in memory",
  async (clock) => new SqliteStore({ ...LIMITS, clock: { ...clock, ...waiting, now: () => clock.now() } }).evidence,
);
