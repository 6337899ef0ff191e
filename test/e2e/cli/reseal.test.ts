// A store whose key is lost: what commands say of it, and how it is sealed anew.
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { runPostel, startPostel } from "../../support/cli/runPostel.ts";
import { STORE } from "../../support/defaults.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-reseal-"));
  file = join(folder, "postel.db");
  copyFileSync(resolve("fixtures/databases/0.1.0/store.db"), file);
  await (await SqliteStore.open({ ...STORE, file, clock: systemClock })).close();
});
afterEach(() => rmSync(folder, { recursive: true }));

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

it("is not sealed anew while an idle gateway has it open, and is once that was killed", async () => {
  const config = join(folder, "postel.yaml");
  writeFileSync(config, `store: { file: ${file} }\nupstreams: [{ id: none, base_url: "http://127.0.0.1:9/v1" }]\n`);
  const child = startPostel(["serve", "--config", config], { PORT: "0" });
  const ended = once(child, "close");
  try {
    for await (const line of createInterface({ input: child.stdout as Readable })) if (line.includes("http://")) break;
    expect(child.exitCode).toBeNull();
    const refused = await runPostel(["data", "reseal", "--store", file]);
    expect(refused).toMatchObject({
      out: "",
      err: expect.stringContaining(`Another process has the store ${file} open`),
    });
    expect(refused.status).not.toBe(0);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
  expect(await runPostel(["data", "reseal", "--store", file])).toMatchObject({ status: 0 });
});

describe("postel audit verify", () => {
  const change = (statement: string): void => {
    const database = new DatabaseSync(file);
    database.exec(statement);
    database.close();
  };
  const verify = () => runPostel(["audit", "verify", "--store", file]);

  it.each([
    ["a state", "update run_states set state = substr(state, 1, length(state) - 1) || ' }' where run = RUN"],
    ["an interrupt", "update interrupts set interrupt = replace(interrupt, '\"type\"', '\"tipe\"') where run = RUN"],
    [
      "the owner of a decision",
      "update interrupts set decided_by = 'eve', decided_at = 1, status = 'decided' where run = RUN",
    ],
    ["the agent of a run", "update runs set agent = 'other' where id = RUN"],
    ["a run without its state", "delete from run_states where run = RUN"],
  ])("exits with 1 for a record that is damaged, and names it: %s", async (_, statement) => {
    change(statement.replaceAll("RUN", "(select run from interrupts where status = 'open' order by run limit 1)"));
    const verified = await verify();
    expect(verified).toMatchObject({
      status: 1,
      out: expect.stringMatching(/of run \S+ [\s\S]*^sound: [\s\S]*^seals checked: 1 of 9 runs are damaged/m),
    });
  });

  it("says that the seals were not checked, with status 0, where a record is damaged and the key is not there", async () => {
    change("update runs set agent = 'other'");
    rmSync(`${file}.key`);
    expect(await verify()).toMatchObject({ status: 0, out: expect.stringMatching(/^seals not checked: the key /m) });
  });
});
