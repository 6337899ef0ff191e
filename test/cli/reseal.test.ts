// A store whose key is lost: what commands say of it, and how it is sealed anew.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { systemClock } from "../../src/network/system.ts";
import { SqliteStore } from "../../src/stores/SqliteStore.ts";
import { STORE } from "../support/defaults.ts";
import { runPostel } from "./runPostel.ts";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-reseal-"));
  file = join(folder, "postel.db");
  copyFileSync(resolve("fixtures/databases/0.1.0/store.db"), file);
  await (await SqliteStore.open({ ...STORE, file, clock: systemClock })).close();
});
afterAll(() => rmSync(folder, { recursive: true }));

it("is left without its key by a backup, which says so, and which is looked into all the same", async () => {
  const copy = join(folder, "copy.db");
  const told = await runPostel(["data", "backup", copy, "--store", file]);
  expect(told).toMatchObject({ status: 0, err: expect.stringContaining(`${file}.key) is not in the copy`) });
  const verified = await runPostel(["audit", "verify", "--store", copy]);
  expect(verified).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^sound: [\s\S]*\nseals not checked: .*copy\.db\.key/),
  });
  expect(existsSync(`${copy}.key`)).toBe(false);
  const own = await runPostel(["audit", "verify", "--store", file]);
  expect(own).toMatchObject({ status: 0, out: expect.not.stringContaining("seals") });
});

it("is sealed anew by `data reseal`, which the audit tells", async () => {
  const key = readFileSync(`${file}.key`, "utf8");
  rmSync(`${file}.key`);
  await expect(SqliteStore.open({ ...STORE, file, clock: systemClock })).rejects.toMatchObject({
    failure: { code: "invalid_configuration" },
  });
  const sealed = await runPostel(["data", "reseal", "--store", file]);
  expect(sealed).toMatchObject({ status: 0, out: expect.stringContaining(`sealed anew with ${file}.key: 9 runs`) });
  expect(readFileSync(`${file}.key`, "utf8")).not.toBe(key);
  const shown = await runPostel(["audit", "show", "--store", file]);
  expect(shown.out).toContain("the store was sealed anew: 9 runs");
});
