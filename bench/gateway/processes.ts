// Starts processes on a fixed core and measures their CPU time and memory.
// Both need Linux: elsewhere the measurements are NaN, and without `taskset` the system chooses the cores.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Returns the CPU time that all threads of the processes have used, in microseconds; NaN if the system does not report it. */
export function measureCpuMicros(pids: readonly number[]): number {
  return sumOverProcesses(pids, (pid) => {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, id) => sum + readCpuNanos(`/proc/${pid}/task/${id}/schedstat`), 0) / 1000;
  });
}

/** Returns the resident memory of the processes in bytes; NaN if the system does not report it. */
export function measureResidentBytes(pids: readonly number[]): number {
  return sumOverProcesses(pids, (pid) => {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes) * 1024;
  });
}

/** Starts Node with `args`, pinned to `core` if `taskset` is available. Gateways use core 0, all else core 1. */
export function startNode(core: number, args: readonly string[], options: SpawnOptions): ChildProcess {
  const command = [process.execPath, ...args];
  const pinned = [TASKSET, "-c", String(core % availableParallelism()), ...command];
  const [file = "", ...rest] = CAN_PIN_CORES ? pinned : command;
  return spawn(file, rest, options);
}

/** Kills `child` and resolves when it has exited. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

const TASKSET = "taskset";

/** True if gateways and load run on cores of their own. */
export const CAN_PIN_CORES = availableParallelism() > 1 && spawnSync(TASKSET, ["-c", "0", "true"]).status === 0;

/** Returns a TCP port of 127.0.0.1 on which nothing listens. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** Resolves to true once `port` accepts connections, to false if it does not within 20 s. */
export async function waitForPort(port: number): Promise<boolean> {
  for (let tries = 0; tries < 400; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    const isConnected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isConnected) return true;
    await sleep(50);
  }
  return false;
}

/** Reads the first field of a `schedstat` file: the time on the CPU in nanoseconds. */
function readCpuNanos(file: string): number {
  return Number(readFileSync(file, "utf8").split(" ")[0]);
}

function sumOverProcesses(pids: readonly number[], measure: (pid: number) => number): number {
  try {
    return pids.reduce((sum, pid) => sum + measure(pid), 0);
  } catch {
    return Number.NaN;
  }
}
