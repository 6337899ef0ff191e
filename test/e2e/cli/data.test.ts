// `postel data`: what is kept of an owner comes out whole, goes for good, and is copied while others write.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { STORE } from "../../support/defaults.ts";

let folder: string;
let file: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-data-"));
  file = join(folder, "postel.db");
  store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
  for (const owner of ["ada", "bob"]) {
    await store.sessions.open({ owner, id: "s" }, {});
    await store.sessions.append({ owner, id: "s" }, [{ role: "user", content: `said by ${owner}` }]);
    await store.memories.put({ owner, id: "m", text: `${owner}s-lasting-fact` });
  }
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const data = (...args: string[]) => runPostel(["data", ...args, "--store", file]);
const bytes = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));

describe("postel data export", () => {
  it("writes what is kept of an owner, a line of JSON for each row, and nothing of another", async () => {
    const { status, out, err } = await data("export", "ada");
    expect([status, err]).toEqual([0, ""]);
    const rows = out.trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { table: "sessions", owner: "ada", id: "s" },
      { table: "session_messages", owner: "ada", message: { role: "user", content: "said by ada" } },
      { table: "memories", owner: "ada", text: "adas-lasting-fact" },
    ]);
  });

  it("says where nothing is kept, and of which file", async () => {
    expect(await data("export", "eve")).toMatchObject({
      status: 0,
      out: "",
      err: `Nothing is kept of the owner eve in ${file}.\n`,
    });
    const none = await runPostel(["data", "export", "ada", "--store", join(folder, "none.db")]);
    expect(none).toMatchObject({ status: 1, out: "", err: expect.stringContaining("none.db is not there") });
    expect(readdirSync(folder)).not.toContain("none.db");
  });

  it("looks into the store of this user where nobody has named one, and makes none", async () => {
    const own = join(folder, "postel", "postel.db");
    const unnamed = () => runPostel(["data", "export", "ada"], "", { XDG_STATE_HOME: folder });
    expect(await unnamed()).toMatchObject({ status: 1, out: "", err: expect.stringContaining(`${own} is not there`) });
    expect(readdirSync(folder)).not.toContain("postel");
    mkdirSync(join(folder, "postel"));
    await data("backup", own);
    expect(await unnamed()).toMatchObject({ status: 0, out: expect.stringContaining("adas-lasting-fact"), err: "" });
  });
});

describe("postel data erase", () => {
  it("erases nothing before it is said that it is meant", async () => {
    const { status, err } = await data("erase", "ada");
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/^--yes is missing: .* of the owner ada in .*postel\.db,/),
    ]);
    expect(await store.sessions.get({ owner: "ada", id: "s" })).toBeDefined();
  });

  it("leaves no byte of what was said, and all that is another's", async () => {
    expect(bytes().some((text) => text.includes("adas-lasting-fact"))).toBe(true);
    const { status, out } = await data("erase", "ada", "--yes");
    expect(status).toBe(0);
    expect(out).toContain("session_messages 1\n");
    await store.close();
    expect(bytes().filter((text) => /said by ada|adas-lasting-fact/.test(text))).toEqual([]);
    expect(bytes().some((text) => text.includes("bobs-lasting-fact"))).toBe(true);
  });
});

describe("postel data backup", () => {
  it("copies the whole store while it is written to, for its owner's eyes, and over nothing", async () => {
    const copy = join(folder, "copy.db");
    let writes = 0;
    let copied = false;
    const writing = (async () => {
      for (; !copied; writes += 1) {
        await store.sessions.append({ owner: "bob", id: "s" }, [{ role: "user", content: `${writes}` }]);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    expect(await data("backup", copy)).toMatchObject({ status: 0, out: expect.stringContaining(copy) });
    copied = true;
    await writing;
    expect(statSync(copy).mode & 0o077).toBe(0);
    // The key of the seals is not in a copy.
    copyFileSync(`${file}.key`, `${copy}.key`);
    const kept = await SqliteStore.open({ ...STORE, file: copy, clock: systemClock });
    const messages = await kept.sessions.messages({ owner: "bob", id: "s" });
    expect(messages.slice(1).map(({ content }) => content)).toEqual(
      Array.from({ length: messages.length - 1 }, (_, n) => `${n}`),
    );
    expect(await kept.memories.search("ada", "lasting", 9)).toHaveLength(1);
    await kept.close();
    expect(await data("backup", copy)).toMatchObject({ status: 1, err: expect.stringContaining("already") });
  });

  it("leaves nothing behind where there is nothing to copy", async () => {
    const broken = join(folder, "broken.db");
    writeFileSync(broken, "no database at all ".repeat(500));
    const before = readdirSync(folder);
    const { status, err } = await runPostel(["data", "backup", join(folder, "copy.db"), "--store", broken]);
    expect([status, err]).toEqual([1, expect.stringContaining("damaged")]);
    expect(readdirSync(folder)).toEqual(before);
  });
});
