// What a start costs, in work and not by the clock: the modules that are loaded before the gateway listens, the memory that it leaves, and what is kept for the next start.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { runPostel } from "../../support/cli/runPostel.ts";

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-start-"));
});
afterEach(async () => {
  if (child?.exitCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  child = undefined;
  rmSync(folder, { recursive: true });
});

/** URLs of all that is loaded when it says that it listens, which is the first that it says. */
async function loadedAtStart(args: readonly string[]): Promise<readonly string[]> {
  const preloaded = new URL("../../support/cli/reportLoaded.ts", import.meta.url).href;
  const started = spawn(process.execPath, ["--import", preloaded, "src/main.ts", "serve", "--port", "0", ...args], {
    env: { PATH: process.env.PATH, TMPDIR: folder },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child = started;
  const [loaded] = await once(started, "message");
  return loaded as readonly string[];
}

const packageOf = (url: string) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];

describe("a start", () => {
  it("loads what the gateway is made of, and nothing that only a request or another command needs", async () => {
    const loaded = await loadedAtStart(["--upstream", "http://127.0.0.1:9/v1"]);
    const own = loaded.flatMap((url) => /\/src\/(.*)$/.exec(url)?.[1] ?? []);
    const packages = new Set(loaded.flatMap((url) => packageOf(url) ?? []));
    expect(packages).not.toContain("openai");
    expect(packages).not.toContain("kysely");
    expect(loaded).not.toContain("node:sqlite");
    const commands = readdirSync("src/cli", { recursive: true, encoding: "utf8" }).filter((file) =>
      own.includes(`cli/${file}`),
    );
    expect(commands.sort()).toEqual([
      "commands/flags.ts",
      "models/upstreamStates.ts",
      "options/loadFlags.ts",
      "output/commandHints.ts",
      "output/terminal.ts",
      "runCommandLine.ts",
      "serve/compileCache.ts",
      "serve/serve.ts",
      "serve/tuneHeap.ts",
      "validate/missingModels.ts",
    ]);
    // A module of less than 10 ms is imported statically (docs/internals/decisions/0116). A larger one that a start does not need can wait.
    expect(own.length).toBeLessThanOrEqual(600);
    // Beside our own: what Node and the packages bring, 644 when this was written.
    expect(loaded.length - own.length).toBeLessThanOrEqual(645);
  });

  it("leaves a young generation that is small, and grows under load, but not to all that V8 would let it", async () => {
    const preloaded = new URL("../../support/cli/reportYoung.ts", import.meta.url).href;
    const args = ["src/main.ts", "serve", "--port", "0", "--upstream", "http://127.0.0.1:9/v1"];
    const started = spawn(process.execPath, ["--import", preloaded, ...args], {
      env: { PATH: process.env.PATH, TMPDIR: folder },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child = started;
    const [[atStart, later]] = (await once(started, "message")) as [readonly [number, number]];
    expect(atStart).toBeLessThan(8);
    expect(later).toBeGreaterThan(16);
    // V8 alone: 67.
    expect(later).toBeLessThan(40);
  });

  it("loads the database where it is to keep something in a file, and makes the file", async () => {
    const config = join(folder, "postel.yaml");
    writeFileSync(config, `store: { file: kept.db }\nupstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]\n`);
    const loaded = await loadedAtStart(["--config", config]);
    expect(loaded).toContain("node:sqlite");
    expect(existsSync(join(folder, "kept.db"))).toBe(true);
  });

  it("says what is wrong with the file, and is none", async () => {
    const config = join(folder, "postel.yaml");
    writeFileSync(config, `store: { file: none/kept.db }\nupstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]\n`);
    const { status, err } = await runPostel(["serve", "--port", "0", "--config", config]);
    expect(status).toBe(1);
    expect(err).toContain(`The store ${join(folder, "none/kept.db")} cannot be opened. Its folder is not there.`);
  });
});

describe("what Node has compiled", () => {
  const kept = () => join(folder, "node-compile-cache");
  const version = (env: Record<string, string> = {}) =>
    runPostel(["--version"], "", { TMPDIR: folder, NODE_COMPILE_CACHE: "", ...env });

  it("is kept for the next start, where only this user can write", async () => {
    expect(await version()).toMatchObject({ status: 0, err: "" });
    expect(readdirSync(kept())).toHaveLength(1);
  });

  it("is neither kept nor taken where others could have put it", async () => {
    mkdirSync(kept());
    chmodSync(kept(), 0o777);
    expect(await version()).toMatchObject({ status: 0, err: "" });
    expect(readdirSync(kept())).toEqual([]);
  });

  it("is not kept where there is no place for it, or an operator wants none", async () => {
    expect(await version({ TMPDIR: join(folder, "none") })).toMatchObject({ status: 0, err: "" });
    await version({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(existsSync(kept()) ? readdirSync(kept()) : []).toEqual([]);
  });
});
