// The audit's file: it has what the store has, whoever wrote, whenever a process ended and whenever it was moved away; what it cannot have does not happen.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { AuditEvent } from "../../../src/core/audit/audit.ts";
import { systemClock } from "../../../src/network/system.ts";
import { AuditFile } from "../../../src/stores/audit/AuditFile.ts";
import { ChainVerifier } from "../../../src/stores/audit/ChainVerifier.ts";
import { formatEntryLine, parseEntryLine } from "../../../src/stores/audit/entryLine.ts";
import { StoredAuditLog } from "../../../src/stores/audit/StoredAuditLog.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { STORE } from "../../support/defaults.ts";

let folder: string;
let file: string;
let stores: SqliteStore[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-audit-"));
  file = join(folder, "audit.jsonl");
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true });
});

/** As a gateway begins: its store, its file brought up to it, its trail. */
async function begin() {
  const store = await SqliteStore.open({ ...STORE, file: join(folder, "postel.db"), clock: systemClock });
  stores.push(store);
  const copy = new AuditFile(file, store.audit);
  await copy.copyNewEntries(true);
  const trail = new StoredAuditLog(store.audit, copy);
  const record = (count = 1) => trail.record(Array.from({ length: count }, (_, n) => said(`Zürich 🎈 ${n}`)));
  return { store, record };
}

const said = (run: string): AuditEvent => ({ type: "run-ended", owner: "ada", run, outcome: "answered" });
const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const refused = (words: RegExp) => ({
  failure: { code: "store_unavailable", message: expect.stringMatching(words) },
});

/** What a verification of these files says. */
function verify(...paths: readonly string[]) {
  const check = new ChainVerifier({ isPart: true });
  for (const line of paths.flatMap(linesOf)) {
    const entry = parseEntryLine(line);
    if (entry) check.addEntry(entry);
    else check.addUnreadable(line);
  }
  const { entries, first, head, faults } = check.report();
  return { entries, from: first?.seq, to: head?.seq, faults };
}

describe("the audit's file", () => {
  it("has each entry before whoever recorded it goes on, and nobody else's eyes see it", async () => {
    const { store, record } = await begin();
    await record(1_203);
    expect(linesOf(file).map((line) => `${line}\n`)).toEqual(
      (await store.audit.entries(0, 5_000)).map(formatEntryLine),
    );
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("begins where it was switched on, and says so", async () => {
    const { record } = await begin();
    await record(3);
    file = join(folder, "later.jsonl");
    await (await begin()).record(2);
    expect(verify(file)).toEqual({ entries: 2, from: 4, to: 5, faults: [] });
  });

  it("is followed by the next one where it was moved away, by whichever process writes first", async () => {
    const gateways = [await begin(), await begin()];
    const moved: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const { record } of gateways) await record(2);
      moved.push(join(folder, `audit.${round}`));
      renameSync(file, moved.at(-1) ?? "");
      gateways.reverse();
    }
    await (await begin()).record();
    expect(verify(...moved, file)).toEqual({ entries: 17, from: 1, to: 17, faults: [] });
    expect(linesOf(file)).toHaveLength(1);
  });

  it("is caught up with after a process that ended between the store and the file, or within a line", async () => {
    const { store, record } = await begin();
    await record(2);
    await store.audit.append([said("only in the store 🎈"), said("and this")]);
    const [next] = await store.audit.entries(2, 1);
    const half = Buffer.from(next ? formatEntryLine(next) : "");
    // Within a character.
    appendFileSync(file, half.subarray(0, half.indexOf("🎈") + 2));
    await record();
    expect(verify(file)).toEqual({ entries: 5, from: 1, to: 5, faults: [] });
  });
});

describe("a file that is not what was written to it", () => {
  it.each<[string, () => void, RegExp]>([
    ["lost its end", () => writeFileSync(file, `${linesOf(file).slice(0, 2).join("\n")}\n`), /had 3 already/],
    ["ends with something else", () => appendFileSync(file, '{"seq":4}\n'), /no entry/],
    ["ends in a line that nobody wrote", () => appendFileSync(file, '{"seq":4,"at":0'), /nobody wrote/],
    ["is another store's", () => appendFileSync(file, forged()), /not the store's/],
    ["is a folder", () => [rmSync(file), mkdirSync(file)], /cannot be written/],
  ])("stops effects until it was looked at and moved away: it %s", async (_what, change, words) => {
    const { store, record } = await begin();
    await record(3);
    change();
    await expect(record()).rejects.toMatchObject(refused(words));
    await expect(begin()).rejects.toMatchObject(refused(words));
    renameSync(file, join(folder, "moved"));
    await record();
    expect(verify(file)).toMatchObject({ from: 4, faults: [] });
    expect((await store.audit.head())?.seq).toBe(verify(file).to);
    expect(existsSync(join(folder, "moved"))).toBe(true);
  });

  function forged(): string {
    const [last] = linesOf(file).slice(-1);
    const entry = parseEntryLine(last ?? "");
    return entry ? formatEntryLine({ ...entry, seq: 4 }) : "";
  }
});
