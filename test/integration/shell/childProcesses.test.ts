// Real child processes: what they are given, and that nothing of them is left whatever way they end.
import { getEventListeners } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { ProcessRequest } from "../../../src/core/ports.ts";
import { createProcessPort } from "../../../src/processes/childProcesses.ts";
import { makePlace, type Place } from "../../support/shell/shellGateway.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const processes = createProcessPort();

/** Runs a script of the test's own by the shell, which no component may. */
function script(text: string, rest: Partial<ProcessRequest> = {}, signal = new AbortController().signal) {
  const fixed = { program: "/bin/sh", argv: ["sh", "-c", text], cwd: place.workspace, paths: [] };
  const bounds = { env: { PATH: "/usr/bin:/bin" }, timeoutMs: 20_000, maxOutput: 100_000 };
  return processes.run({ ...fixed, ...bounds, purpose: { run: "run-1", callId: "c1" }, ...rest }, signal);
}

/** Whether a process of this id is still there; a zombie is. */
function lives(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** The id that a script wrote to `pid`, once it has. */
async function written(file = "pid"): Promise<number> {
  const path = join(place.workspace, file);
  while (!existsSync(path) || readFileSync(path, "utf8").trim() === "") await new Promise(setImmediate);
  return Number(readFileSync(path, "utf8"));
}

/** Resolves once it is gone; a test's own time is the bound. */
async function gone(pid: number): Promise<void> {
  while (lives(pid)) await new Promise(setImmediate);
}

describe("a program", () => {
  it("brings what it wrote, and its exit code", async () => {
    expect(await script("echo out; echo err >&2; exit 3")).toEqual({
      ...{ type: "ended", stdout: "out\n", stderr: "err\n", exitCode: 3 },
    });
  });

  it("finds nothing of the gateway's environment", async () => {
    const end = await script("env", { env: { PATH: "/usr/bin:/bin", GIVEN: "yes" } });
    const names = (end.type === "ended" ? end.stdout : "").match(/^\w+(?==)/gm);
    expect(names?.filter((name) => !/^(?:PWD|_|SHLVL|OLDPWD)$/.test(name)).sort()).toEqual(["GIVEN", "PATH"]);
  });

  it("that waits for input finds none (CT-012)", async () => {
    expect(await script("cat")).toMatchObject({ stdout: "", exitCode: 0 });
  });

  it("need not read what it is given", async () => {
    expect(await script("exit 0", { stdin: "x".repeat(1_000_000) })).toMatchObject({ exitCode: 0 });
  });

  it("that writes without end is ended at its limit, and the beginning is kept (CT-011)", async () => {
    const end = await script("yes & echo $! > pid; wait", { maxOutput: 1_000 });
    expect(end).toMatchObject({ stopped: "output", stdout: "y\n".repeat(500) });
    await gone(await written());
  });

  it("is ended at its time with all that it has started", async () => {
    const end = await script("sleep 60 & echo $! > pid; wait", { timeoutMs: 300 });
    expect(end).toMatchObject({ stopped: "timeout" });
    await gone(await written());
  });

  it("that will not end at its time is ended by force", async () => {
    const end = await script("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done", { timeoutMs: 300 });
    expect(end).toMatchObject({ stopped: "timeout", exitCode: null, signal: "SIGKILL" });
    await gone(await written());
  });

  it("ends with its run", async () => {
    const ending = new AbortController();
    const running = script("sleep 60 & echo $! > pid; wait", {}, ending.signal);
    const pid = await written();
    ending.abort();
    await expect(running).rejects.toMatchObject({ failure: { code: "cancelled" } });
    await gone(pid);
  });

  it("leaves nothing running behind itself", async () => {
    expect(await script("sleep 60 >/dev/null 2>&1 & echo $! > pid")).toMatchObject({ exitCode: 0 });
    await gone(await written());
  });

  it("that has left its group does not hold its call by an open pipe", async () => {
    const end = await script("setsid sleep 60 & echo $! > pid; echo done");
    expect(end).toMatchObject({ stdout: "done\n", exitCode: 0 });
    process.kill(await written(), "SIGKILL");
  });

  it("leaves no listener behind", async () => {
    const { signal } = new AbortController();
    await Promise.all([script("true", {}, signal), script("false", {}, signal)]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("that is not there is a refusal, and not a failure of the gateway", async () => {
    expect(await script("true", { program: "/no/such/program" })).toEqual({
      type: "refused",
      reason: expect.stringContaining("/no/such/program could not be started"),
    });
  });
});
