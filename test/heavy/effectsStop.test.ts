// What a gateway does whose record cannot be written while it runs, for causes that a disk has: no tool has an effect, whoever asked is told what to do, and once it can be written all goes on in one sound chain.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { systemClock } from "../../src/network/system.ts";
import { SqliteStore } from "../../src/stores/SqliteStore.ts";
import { recordIn } from "../support/audit/recordIn.ts";
import { runPostel } from "../support/cli/runPostel.ts";
import { type Declared, lastOf, startDeclared } from "../support/declared/startDeclared.ts";
import { STORE } from "../support/defaults.ts";

// A lock is waited for, and a process begun.

const MOST_BYTES = 1_048_576;
const DONE = ['notes begins: {"text":"tea"}', "notes ends: ok"];

let folder: string;
let store: string;
let file: string;
let testGateway: Declared;
/** What happens between the request and the model's calls. */
let meanwhile: () => unknown;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-stops-"));
  store = join(folder, "store.db");
  mkdirSync(join(folder, "record"));
  file = join(folder, "record", "audit.jsonl");
  meanwhile = () => {};
  const yaml = `
store: { file: ${store}, max_bytes: ${MOST_BYTES} }
audit: { file: ${file} }
components:
  - { id: notes, type: http-client, base_url: "\${env.SERVICE_URL}", actions: [{ id: write, method: POST, path: /write, body: { text: "\${input.text}" } }] }
agents: [{ id: default, model: m, tools: [notes] }]
`;
  testGateway = await startDeclared(yaml, async (request) => {
    if (lastOf(request) !== "Write it.") return "Done.";
    await meanwhile();
    return [{ name: "notes", arguments: { text: "tea" } }];
  });
});
afterEach(async () => {
  await testGateway.close();
  rmSync(folder, { recursive: true, force: true });
});

function ask(isKept: boolean) {
  const messages = [{ role: "user", content: "Write it." }];
  return testGateway.post("/v1/agent", { model: "m", no_store: !isKept, messages });
}

/** Nothing had an effect, and whoever asked reads what to do. */
async function expectRefused(isKept: boolean, advice: RegExp): Promise<void> {
  const { status, body } = await ask(isKept);
  expect([status, body.error]).toEqual([
    503,
    expect.objectContaining({ code: "run_not_saved", message: expect.stringMatching(advice) }),
  ]);
  expect(testGateway.asked).toEqual([]);
}

/** It works once more, and what was written is what happened. */
async function expectWorks(before: readonly string[] = []): Promise<void> {
  meanwhile = () => {};
  expect((await ask(true)).status).toBe(200);
  expect(testGateway.asked).toEqual(['POST /write {"text":"tea"}']);
  expect(recordIn(store).filter((said) => said.startsWith("notes"))).toEqual([...before, ...DONE]);
  const verified = await runPostel(["audit", "verify", "--file", file]);
  expect(verified).toMatchObject({ status: 0, out: expect.stringMatching(/^sound: /) });
}

/** A store beside the gateway's, with the same bound. */
async function withStore(work: (store: SqliteStore) => Promise<unknown>): Promise<void> {
  const beside = await SqliteStore.open({ ...STORE, maxBytes: MOST_BYTES, file: store, clock: systemClock });
  await work(beside);
  await beside.close();
}

describe.each([
  ["kept", true],
  ["not kept", false],
])("a run that is %s has no effect", (_, isKept) => {
  it("where the store is full before its calls begin, until there is room", async () => {
    meanwhile = () => withStore(fill);
    await expectRefused(isKept, /takes no more.*Make room.*store\.max_bytes/);
    await withStore(({ owners }) => owners.erase("filler"));
    await expectWorks();
  });

  it("where another process holds the store, until it lets go", async () => {
    const holder = spawn(process.execPath, ["--input-type=module", "-e", HOLD, store], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(holder, "close");
    meanwhile = async () => {
      holder.stdin.write("hold\n");
      await once(holder.stdout, "data");
    };
    await expectRefused(isKept, /locked by another process.*Try again/);
    holder.stdin.end();
    await ended;
    await expectWorks();
  });

  it("where the record's file cannot be written, until it can", async () => {
    const away = join(folder, "elsewhere");
    // As where a disk was taken away, whose mount point is there still; root may write wherever there is a folder.
    meanwhile = () => {
      renameSync(join(folder, "record"), away);
      mkdirSync(file, { recursive: true });
    };
    await expectRefused(isKept, /audit file .* cannot be written.*give it the permission and the disk space/);
    rmdirSync(file);
    rmdirSync(join(folder, "record"));
    renameSync(away, join(folder, "record"));
    // The store had the entry before its file was to have it: that the call began, and no word of an end.
    await expectWorks(DONE.slice(0, 1));
  });
});

/** Until no entry has room, however short. */
async function fill({ sessions, audit }: SqliteStore): Promise<void> {
  for (const chars of [9_000, 500, 1]) {
    const key = { owner: "filler", id: `${chars}` };
    const content = "x".repeat(chars);
    await sessions.open(key, {}).catch(() => {});
    await untilFull(() => sessions.append(key, [{ role: "user", content }]));
  }
  await untilFull(() => audit.append([{ type: "run-ended", owner: "beside", run: "r", outcome: "answered" }]));
}

async function untilFull(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write();
    } catch (error) {
      if (error instanceof Error && /takes no more/.test(error.message)) return;
      throw error;
    }
  }
}

/** A process that holds the store's lock from a word on, until nobody writes to it any more. */
const HOLD = `
import { DatabaseSync } from "node:sqlite";
const database = new DatabaseSync(process.argv[1], { timeout: 60000 });
for await (const _ of process.stdin) {
  database.exec("begin immediate");
  process.stdout.write("held");
}
database.close();
`;
