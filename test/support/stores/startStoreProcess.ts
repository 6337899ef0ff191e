// Starts processes with a store, and hears what they say.
import { type ChildProcess, spawn } from "node:child_process";
import { type EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";

export interface StoreProcess {
  /** What it said, as it says more. */
  readonly said: readonly Said[];
  readonly child: ChildProcess;
  /** Tells `line` once more was said. */
  readonly heard: EventEmitter;
  /** Resolves once it has ended, with all that it said. */
  ended(): Promise<readonly Said[]>;
}

interface Said {
  readonly open?: true;
  readonly written?: number;
  readonly claimed?: number;
  readonly code?: string;
  readonly message?: string;
}

/** @param limits a shell's command before it, such as `ulimit -f 100` */
export function startStoreProcess(args: readonly string[], limits = ":", uid?: number): StoreProcess {
  const script = new URL("./storeProcess.ts", import.meta.url).pathname;
  const child = spawn("/bin/sh", ["-c", `${limits}; exec "$@"`, "sh", process.execPath, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const said: Said[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => said.push(JSON.parse(line) as Said));
  const over = Promise.all([once(child, "exit"), once(lines, "close")]);
  return { said, child, heard: lines, ended: () => over.then(() => said) };
}
