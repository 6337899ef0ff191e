// A process of its own with a store, told by its arguments what to do with it; says as a JSON line each what became of it.
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { PostelError } from "../../../src/core/failures.ts";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { STORE } from "../defaults.ts";

/** `start`: a file that is waited for before anything is done, where it is named. */
const [file = "", task = "", name = "", count = "0", start] = process.argv.slice(2);
const LONG = "words ".repeat(800);

/** Resolves once the line is in the pipe: a full pipe takes it later, and a kill would lose it. */
function say(line: object): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve()));
}

/** Numbered messages in a session of its own, each told once it is written. */
async function write(store: SqliteStore, more: string): Promise<void> {
  const key = { owner: "ada", id: name };
  await store.sessions.open(key, {});
  for (let n = 1; n <= Number(count); n += 1) {
    await store.sessions.append(key, [{ role: "user", content: `${n}${more}` }]);
    await say({ written: n });
  }
}

/** Entries of the audit, each told once it is written. */
async function audit(store: SqliteStore): Promise<void> {
  for (let n = 1; n <= Number(count); n += 1) {
    await store.audit.append([{ type: "run-ended", owner: name, run: `${n}`, outcome: "answered" }]);
    await say({ written: n });
  }
}

/** Each of so many runs, told where it is this process's now. */
async function claim(store: SqliteStore): Promise<void> {
  for (let n = 1; n <= Number(count); n += 1) {
    if (await store.runs.claim({ owner: "ada", id: `${n}` }, { holder: name, ms: 60_000 })) await say({ claimed: n });
  }
}

try {
  const store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
  await say({ open: true });
  while (start !== undefined && !existsSync(start)) await setTimeout(1);
  if (task === "write") await write(store, "");
  if (task === "fill") await write(store, LONG);
  if (task === "claim") await claim(store);
  if (task === "audit") await audit(store);
  // Idle until somebody kills it.
  if (task === "hold") await setTimeout(2 ** 30);
  if (task !== "leave") await store.close();
} catch (error) {
  if (!(error instanceof PostelError)) throw error;
  await say({ code: error.failure.code, message: error.failure.message });
}
