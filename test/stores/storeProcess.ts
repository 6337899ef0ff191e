// A process of its own with a store, told by its arguments what to do with it; says as a JSON line each what became of it. Knows no test.

import { PostelError } from "../../src/core/failures.ts";
import { systemClock } from "../../src/network/system.ts";
import { SqliteStore } from "../../src/stores/SqliteStore.ts";
import { STORE } from "../support/defaults.ts";

const [file = "", task = "", name = "", count = "0"] = process.argv.slice(2);
const WORDS = "words ".repeat(800);

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** A write of the task `write`: a session whose one message says which it is, and is on the way to the disk once it is told. */
async function write(store: SqliteStore, id: string): Promise<void> {
  const key = { owner: "ada", id };
  await store.sessions.open(key, {});
  await store.sessions.append(key, [{ role: "user", content: `${id} ${task === "fill" ? WORDS : ""}` }]);
  say({ written: id });
}

try {
  const store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
  say({ open: true });
  if (task === "write" || task === "fill")
    for (let n = 1; n <= Number(count); n += 1) await write(store, `${name}-${n}`);
  if (task !== "leave") await store.close();
} catch (error) {
  if (!(error instanceof PostelError)) throw error;
  say({ code: error.failure.code, message: error.failure.message });
}
