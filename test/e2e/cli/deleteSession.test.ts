// `postel sessions ID --delete`: one conversation goes, with all that belongs to it, and only where it is meant.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { STORE } from "../../support/defaults.ts";
import { hasTerminal, startTerminal } from "../../support/tmux.ts";

let folder: string;
let file: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-delete-"));
  file = join(folder, "postel.db");
  writeFileSync(join(folder, "postel.yaml"), 'upstreams: [{ id: up, base_url: "http://127.0.0.1:9/v1" }]\n');
  store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
  for (const [owner, id] of OF) {
    await store.sessions.open({ owner, id }, {});
    await store.sessions.append({ owner, id }, [{ role: "user", content: `said by ${owner}` }]);
  }
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const OF = [
  ["local", "trip"],
  ["local", "desk"],
  ["ada", "trip"],
] as const;
const flags = () => ["--config", join(folder, "postel.yaml"), "--store", file];
const sessions = (...args: string[]) => runPostel(["sessions", ...args, ...flags()]);
const left = async () => {
  const kept = await Promise.all(["ada", "local"].map((owner) => store.sessions.list(owner, { limit: 9 })));
  return kept.flat().map(({ owner, id }) => `${owner} ${id}`);
};

it("deletes it with its messages, and no other, where `--yes` says that it is meant", async () => {
  expect(await sessions("trip", "--delete", "--yes")).toMatchObject({
    status: 0,
    out: "The session trip is deleted.\n",
  });
  expect((await left()).sort()).toEqual(["ada trip", "local desk"]);
  expect(await store.sessions.messages({ owner: "local", id: "trip" })).toEqual([]);
  expect(await sessions("trip", "--delete", "--yes", "--owner", "ada")).toMatchObject({ status: 0 });
  expect(await left()).toEqual(["local desk"]);
});

it("deletes nothing where nobody says so, and says what would be gone", async () => {
  const { status, out, err } = await sessions("trip", "--delete");
  expect([status, out]).toEqual([1, ""]);
  expect(err).toContain("--yes is missing: it deletes the session trip with its 1 message, for good.");
  expect(await sessions("--delete", "--yes")).toMatchObject({ status: 1, err: expect.stringContaining("one session") });
  expect(await left()).toHaveLength(3);
});

it("says which session is not there, and which is in use", async () => {
  const none = await sessions("nix", "--delete", "--yes");
  expect(none).toMatchObject({ status: 1, err: `There is no session "nix" of the owner local in ${file}.\n` });
  await store.sessions.hold({ owner: "local", id: "trip" }, "somebody", 60_000);
  const held = await sessions("trip", "--delete", "--yes");
  expect(held).toMatchObject({ status: 1, err: expect.stringContaining("Another turn of the session `trip`") });
  expect(await left()).toHaveLength(3);
});

it("cancels its run that waits for a person", async () => {
  const run = { owner: "local", id: "r1" };
  await store.runs.create(
    { ...run, agent: "clerk", sessionId: "trip", background: false },
    { holder: "p1", ms: 60_000 },
  );
  await store.runs.change(run, { record: { status: "waiting" } }, "p1");
  await store.runs.release(run, "p1");
  await store.sessions.append({ owner: "local", id: "trip" }, [], "r1");
  expect(await sessions("trip", "--delete", "--yes")).toMatchObject({ status: 0 });
  expect(await store.runs.get(run)).toMatchObject({ status: "ended", outcome: "cancelled" });
});

(hasTerminal ? it : it.skip)("asks somebody at the terminal, and a careless Enter keeps it", async () => {
  const argv = [process.execPath, "src/main.ts", "sessions", "trip", "--delete", ...flags()];
  for (const [keys, status, kept] of [
    [["Enter"], 1, 3],
    [["Down", "Enter"], 0, 2],
  ] as const) {
    const terminal = await startTerminal({ argv, rows: 20, env: { NO_COLOR: "1" } });
    await terminal.until("Delete the session trip with its 1 message, for good?");
    await terminal.press(...keys);
    expect([await terminal.exit(), (await left()).length]).toEqual([status, kept]);
    await terminal.close();
  }
});
