// What the kernel says of processes, and where they are pinned. Knows no gateway. Without Linux the figures are not numbers and nothing is pinned.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";

/** Microseconds of CPU that every thread of these processes has had; NaN where the kernel does not say. */
export function cpuMicros(pids: readonly number[]): number {
  return sumOf(pids, (pid) => {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, id) => sum + nanoseconds(`/proc/${pid}/task/${id}/schedstat`), 0) / 1000;
  });
}

/** Bytes of these processes that are resident. */
export function residentBytes(pids: readonly number[]): number {
  return sumOf(pids, (pid) => {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes) * 1024;
  });
}

/** A Node program on one core, as far as the machine can pin it; the gateways have core 0 for themselves. */
export function startNode(core: number, args: readonly string[], options: SpawnOptions): ChildProcess {
  const command = [process.execPath, ...args];
  const [file = "", ...rest] = PINS ? [PIN, "-c", String(core % availableParallelism()), ...command] : command;
  return spawn(file, rest, options);
}

const PIN = "taskset";

/** Whether gateways and load run on cores of their own. */
export const PINS = availableParallelism() > 1 && spawnSync(PIN, ["-c", "0", "true"]).status === 0;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

function nanoseconds(file: string): number {
  return Number(readFileSync(file, "utf8").split(" ")[0]);
}

function sumOf(pids: readonly number[], of: (pid: number) => number): number {
  try {
    return pids.reduce((sum, pid) => sum + of(pid), 0);
  } catch {
    return Number.NaN;
  }
}
