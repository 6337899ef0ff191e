// How a command ends before it is done: the keyboard, whoever started it, a reader who has left.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { startPostel } from "../../support/cli/runPostel.ts";
import { STORE } from "../../support/defaults.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";

let upstream: FakeUpstream;
let left: Promise<void>;
/** A model that says a line, and the next one never. */
beforeEach(async () => {
  const gone = Promise.withResolvers<void>();
  left = gone.promise;
  upstream = await FakeUpstream.start((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk("first\n"));
    const lines = setInterval(() => response.write(chunk("more\n")), 20);
    response.once("close", () => {
      clearInterval(lines);
      gone.resolve();
    });
  });
});
afterEach(() => upstream.close());

/** A run that has begun to answer. */
async function answering() {
  const child = startPostel(["run", "hi", "--model", "m", "--upstream", upstream.baseUrl]);
  let err = "";
  child.stderr?.on("data", (piece) => {
    err += String(piece);
  });
  if (child.stdout) await once(child.stdout, "data");
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  return { child, ended, err: () => err };
}

describe("postel run", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("that gets %s stops its model, closes its house and ends with %i", async (signal, status) => {
    const { child, ended, err } = await answering();
    child.stdout?.resume();
    child.kill(signal);
    expect(await ended).toEqual([status, null]);
    await left;
    expect(err()).not.toContain("Error");
  });

  it("whose reader leaves stops its model and says nothing of it", async () => {
    const { child, ended, err } = await answering();
    child.stdout?.destroy();
    expect(await ended).toEqual([141, null]);
    await left;
    expect(err()).not.toMatch(/EPIPE|Error/);
  });
});

describe("a command that takes long to end", () => {
  it("ends at once on a second signal, and with that signal's status", async () => {
    const stopping = new URL("../../../src/cli/output/ShutdownSignals.ts", import.meta.url).href;
    const program = `const { ShutdownSignals } = await import("${stopping}");
      new ShutdownSignals().signal.addEventListener("abort", () => console.log("ends"));
      setInterval(() => {}, 1_000);
      console.log("ready");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    expect(String(await once(child.stdout, "data"))).toBe("ready\n");
    child.kill("SIGTERM");
    expect(String(await once(child.stdout, "data"))).toBe("ends\n");
    child.kill("SIGINT");
    // One that goes on would outlive the test.
    const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
    expect(await ended).toEqual([130, null]);
    clearTimeout(late);
  });
});

describe("a command whose reader leaves", () => {
  it("ends without a word", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postel-reader-"));
    const file = join(folder, "postel.db");
    const store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
    const said = Array.from({ length: 200 }, () => ({ role: "user", content: "word ".repeat(2_000) }) as const);
    await store.sessions.open({ owner: "local", id: "s" }, {});
    await store.sessions.append({ owner: "local", id: "s" }, said);
    await store.close();
    const child = startPostel(["data", "export", "local", "--store", file]);
    let err = "";
    child.stderr?.on("data", (piece) => {
      err += String(piece);
    });
    if (child.stdout) await once(child.stdout, "data");
    child.stdout?.destroy();
    expect(await once(child, "close")).toEqual([141, null]);
    expect(err).toBe("");
    expect(existsSync(`${file}-wal`)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
