// The command line as a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Each process would strip the types of every source anew: half of its time. */
export const COMPILED = join(tmpdir(), "postel-compile-cache");

export function startPostel(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["src/main.ts", ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: "pipe",
  });
}

/** Runs a command to its end. */
export async function runPostel(args: readonly string[], input = "", env: Record<string, string> = {}): Promise<Ended> {
  const child = startPostel(args, env);
  const ended = once(child, "close") as Promise<[number | null]>;
  child.stdin?.end(input);
  const [out, err] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
  ]);
  const [status] = await ended;
  return { status, out, err };
}
