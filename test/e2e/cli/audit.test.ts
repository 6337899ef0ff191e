// `postel audit`: what is written in a store is shown, exported and verified by real processes; whatever is done to the file is named.
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { AuditEvent } from "../../../src/core/audit/audit.ts";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { runPostel, startPostel } from "../../support/cli/runPostel.ts";
import { STORE } from "../../support/defaults.ts";

const HOSTILE = "pay\n9  2026-11-22T10:00:00.000Z  eve  ended\u001b[2J\u202e";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-audit-"));
  file = join(folder, "postel.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const audit = (...args: string[]) => runPostel(["audit", ...args, "--store", file]);
const lines = (text: string) => text.trimEnd().split("\n");

async function withStore(work: (store: SqliteStore) => Promise<unknown>): Promise<void> {
  const store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
  await work(store);
  await store.close();
}

function events(owner: string, run: string): readonly AuditEvent[] {
  const call = { owner, run, callId: "c1", tool: HOSTILE };
  return [
    { type: "run-asked", owner, run, by: owner, agent: "clerk" },
    { ...call, type: "tool-began", arguments: { chars: 12, sha256: "", text: '{"sum":  "1"}' } },
    { ...call, type: "tool-ended", outcome: "ok", ms: 3, result: { chars: 4_000, sha256: "" } },
    { type: "run-ended", owner, run, outcome: "answered" },
  ];
}

function tamper(): string {
  const copy = join(folder, "tampered.db");
  copyFileSync(file, copy);
  const other = new DatabaseSync(copy);
  other.exec(`
    update audit_entries set event = replace(event, 'clerk', 'other') where seq = 1;
    delete from audit_entries where seq = 2;
    update audit_entries set salt = null, event = null, owner = '' where seq = 3;
    update audit_entries set owner = 'eve' where seq = 4;
    update audit_entries set seq = -seq where seq in (10, 11);
    update audit_entries set seq = 21 + seq where seq < 0;
    delete from audit_entries where seq > 11;
  `);
  other.close();
  return copy;
}

describe("postel audit", () => {
  it("finds a record sound as it was written and erased, and each thing that was done to it, by its entry", async () => {
    await withStore(async ({ audit: record, owners }) => {
      for (const owner of ["ada", "bob"]) await record.append(events(owner, `of-${owner}`));
      await owners.erase("bob");
      await record.append(events("ada", "later"));
    });
    const { out: head } = await audit("head");
    expect(head).toMatch(/^13:[0-9a-f]{64} \d{4}-\S+Z\n$/);
    const heads = join(folder, "gateway.log");
    writeFileSync(heads, `not a head\n{"level":30,"head":"${head.trim()}","msg":"audit-head"}\n`);
    const sound = await audit("verify", "--heads", heads);
    expect(sound).toMatchObject({ status: 0, err: "" });
    expect(lines(sound.out)).toEqual([
      expect.stringMatching(/^sound: 13 entries, 1 \(\S+\) to 13 \(\S+\)$/),
      "4 of the owner bob say nothing any more: they were erased",
      `head ${head.trim()}`,
    ]);
    const found = await runPostel(["audit", "verify", "--store", tamper(), "--head", head.trim()]);
    expect(found).toMatchObject({ status: 1, err: "" });
    expect(lines(found.out)).toEqual([
      "changed 1: its event is not the one that was written",
      "removed 2: it is missing",
      "erased 3: its event is gone, and no entry says that it was erased",
      "changed 4: its event is another owner's",
      "swapped 10: here stands entry 11",
      "swapped 11: here stands entry 10",
      "cut 12-13: a head that was told names entry 13",
      "not sound: 7 faults in 10 entries",
      expect.stringMatching(/^seals not checked: the key \S+tampered\.db\.key is not there$/),
    ]);
  });

  it("exports what it has, which can be verified as a file, whole and in parts", async () => {
    await withStore(({ audit: record }) => record.append([...events("ada", "1"), ...events("bob", "2")]));
    const whole = join(folder, "whole.jsonl");
    const [first, rest] = [join(folder, "1.jsonl"), join(folder, "2.jsonl")];
    const { out } = await audit("export");
    writeFileSync(whole, out);
    writeFileSync(first, `${lines(out).slice(0, 3).join("\n")}\n`);
    writeFileSync(rest, (await audit("export", "--after", "3")).out);
    expect(readFileSync(first, "utf8") + readFileSync(rest, "utf8")).toBe(out);
    const verify = (...files: string[]) => runPostel(["audit", "verify", "--file", ...files]);
    expect(await verify(first, rest)).toMatchObject({ status: 0, out: expect.stringContaining("sound: 8 entries") });
    writeFileSync(whole, `${out.replace('"seq":5', '"seq":5,"also":1')}{"seq":9`);
    expect(await verify(whole)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/not-an-entry 5: line 5 of .*\nremoved 5: .*\nnot-an-entry 9: line 9 of/),
    });
    expect(await audit("export", "--owner", "bob", "--run", "2")).toMatchObject({
      out: `${lines(out).slice(4).join("\n")}\n`,
    });
  });

  it("shows an entry as one line, whatever it says", async () => {
    await withStore(({ audit: record }) => record.append(events("ada", "1")));
    const { status, out } = await audit("show");
    expect(status).toBe(0);
    const tool = "pay\\n9  2026-11-22T10:00:00.000Z  eve  ended\\u001b[2J\\u202e";
    expect(lines(out).map((line) => line.replace(/\d{4}-\S+Z {2}ada/, "TIME  ada"))).toEqual([
      "1  TIME  ada  run 1  ada asked clerk",
      `2  TIME  ada  run 1  ${tool} began with "{\\"sum\\":  \\"1\\"}"`,
      `3  TIME  ada  run 1  ${tool} ended: ok after 3 ms, 4000 characters`,
      "4  TIME  ada  run 1  ended: answered",
    ]);
  });

  it("is told by its head in the log of a gateway that ends, and a gateway does not begin beside a file that is another's", async () => {
    await withStore(({ audit: record }) => record.append(events("ada", "1")));
    const config = join(folder, "postel.yaml");
    const upstream = '{ id: u, base_url: "http://127.0.0.1:9/v1" }';
    writeFileSync(config, `upstreams: [${upstream}]\nstore: { file: postel.db }\naudit: { file: audit.jsonl }\n`);
    const gateway = startPostel(["serve", "--config", config, "--port", "0"]);
    const [ended, log] = [once(gateway, "close"), gateway.stderr ? text(gateway.stderr) : ""];
    if (gateway.stdout) await once(gateway.stdout, "data");
    gateway.kill("SIGTERM");
    await ended;
    const { out: head } = await audit("head");
    const told = lines(await log).filter((line) => line.includes("audit-head"));
    expect(told.map((line) => JSON.parse(line))).toMatchObject([{ msg: "audit-head", head: head.trim() }]);
    writeFileSync(join(folder, "audit.jsonl"), "something else\n");
    const refused = await runPostel(["serve", "--config", config, "--port", "0"]);
    expect(refused).toMatchObject({ status: 1, err: expect.stringContaining("ends with a line that is no entry") });
  });

  it("says what it cannot read", async () => {
    await withStore(async () => {});
    expect(await audit("verify")).toMatchObject({ status: 0, out: "sound: 0 entries\n" });
    const none = await audit("verify", "--heads", join(folder, "none"));
    expect(none).toMatchObject({ status: 1, err: expect.stringContaining("cannot be read") });
    const unnamed = await runPostel(["audit", "head"], "", { XDG_STATE_HOME: folder });
    expect(unnamed).toMatchObject({ status: 1, err: expect.stringContaining(join(folder, "postel", "postel.db")) });
    const missing = await runPostel(["audit", "verify", "--file", join(folder, "none.jsonl")]);
    expect(missing).toMatchObject({ status: 1, err: expect.stringContaining("not there") });
    const other = new DatabaseSync(file);
    other.exec("drop table audit_entries");
    other.close();
    const gone = await audit("verify");
    expect(gone).toMatchObject({ status: 1, err: expect.stringMatching(/is damaged \(no such table: .*a backup/) });
  });
});
