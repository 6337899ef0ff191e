// What `postel audit verify` costs over a record of 10,000 entries: a process of its own, from its start to its end.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { AuditEvent } from "../../src/core/audit/audit.ts";
import { formatHead } from "../../src/core/audit/auditHead.ts";
import { systemClock } from "../../src/network/system.ts";
import { SqliteStore } from "../../src/stores/SqliteStore.ts";
import { COMPILED } from "../support/cli/runPostel.ts";
import { STORE } from "../support/defaults.ts";

const ENTRIES = 10_000;
const MOST_MS = 2_000;
const TRIES = 3;
/** Of what the command says. */
const maxBuffer = 10_000_000;

let folder: string;
let file: string;
let head: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-audit-chain-"));
  file = join(folder, "postel.db");
  const store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
  for (let run = 0; run * 4 < ENTRIES; run += 1) await store.audit.append(eventsOf(`${run}`), false);
  const last = await store.audit.head();
  await store.close();
  head = last ? formatHead(last) : "";
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A run with a call, in the words of a usual one. */
function eventsOf(run: string): readonly AuditEvent[] {
  const of = { owner: `owner-${Number(run) % 7}`, run };
  const call = { ...of, callId: `call-${run}`, tool: "notes.write" };
  const words = { chars: 400, sha256: "0".repeat(64) };
  return [
    { type: "run-asked", ...of, by: of.owner, agent: "clerk", session: "s-1" },
    { type: "tool-began", ...call, arguments: { ...words, text: `{"text":"${"tea ".repeat(97)}"}` } },
    { type: "tool-ended", ...call, outcome: "ok", ms: 12, result: words },
    { type: "run-ended", ...of, outcome: "answered" },
  ];
}

/** What the command says, and its processor's time, of a few tries the shortest: the clock on the wall judges what else the machine does. */
async function verified() {
  const command = [process.execPath, "src/main.ts", "audit", "verify", "--store", file, "--head", head];
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED };
  const tries: { readonly said: string; readonly ms: number }[] = [];
  while (tries.length < TRIES) {
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", '"$@"; times', "sh", ...command], {
      env,
      maxBuffer,
    });
    const said = stdout.trimEnd().split("\n");
    // Minutes and seconds of user and system, of all that the shell has run.
    const times = [...(said.at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
    const ms = times.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1_000, 0);
    tries.push({ said: said.slice(0, -2).join("\n"), ms });
  }
  process.stdout.write(`postel audit verify: ${tries.map(({ ms }) => ms.toFixed(0)).join(", ")} ms\n`);
  return { said: tries[0]?.said, ms: Math.min(...tries.map(({ ms }) => ms)) };
}

it("verifies 10,000 entries within two seconds of the processor", async () => {
  const { said, ms } = await verified();
  expect(said).toContain(`sound: ${ENTRIES} entries, 1 (`);
  expect(ms).toBeLessThanOrEqual(MOST_MS);
});

it("takes no longer where each of them was changed, and says how many they are", async () => {
  const database = new DatabaseSync(file);
  database.exec("update audit_entries set at = at + 1");
  database.close();
  const { said, ms } = await verified();
  expect(said).toContain(`not sound: ${ENTRIES} faults in ${ENTRIES} entries`);
  expect(ms).toBeLessThanOrEqual(MOST_MS);
});
