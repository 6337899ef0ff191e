// The gateways that are measured, each a process on core 0 before the same upstream. Knows no case.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort, startNode } from "./processes.ts";

export interface Contender {
  readonly name: string;
  readonly folder: string;
  /** What Node is started with. */
  args(port: number, origin: string): readonly string[];
  /** Headers that its callers send. */
  headers(origin: string): Readonly<Record<string, string>>;
}

export interface Running {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const HERE = fileURLToPath(new URL("../..", import.meta.url));

export const BARE: Contender = {
  name: "bare",
  folder: HERE,
  args: (port, origin) => [fileURLToPath(new URL("./bareProxy.ts", import.meta.url)), String(port), origin],
  headers: () => ({}),
};

/** Postel from the sources of a checkout that has its packages; absent: this one. */
export function postel(name: string, checkout = HERE): Contender {
  const folder = resolve(checkout);
  const args = (port: number, origin: string) => [
    join(folder, "src/main.ts"),
    "serve",
    "--upstream",
    `${origin}/v1`,
    "--port",
    String(port),
  ];
  return { name, folder, args, headers: () => ({}) };
}

/** `@portkey-ai/gateway`, where it is installed in this folder; it is no package of ours. */
export function portkey(folder: string): Contender | undefined {
  const script = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  if (!existsSync(script)) return undefined;
  return {
    name: "portkey",
    folder,
    args: (port) => [script, "--headless", `--port=${port}`],
    headers: (origin) => ({ "x-portkey-provider": "openai", "x-portkey-custom-host": `${origin}/v1` }),
  };
}

/** Resolves once it takes connections. @throws Error where it does not within 20 s. */
export async function start({ name, folder, args, headers }: Contender, origin: string): Promise<Running> {
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: "production" };
  const child = startNode(0, args(port, origin), { cwd: folder, env, stdio: "ignore" });
  if (child.pid === undefined || !(await listens(port))) {
    await end(child);
    throw new Error(`${name} does not start.`);
  }
  return { name, port, pid: child.pid, headers: headers(origin), stop: () => end(child) };
}

export async function listens(port: number): Promise<boolean> {
  for (let tries = 0; tries < 400; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    const met = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (met) return true;
    await sleep(50);
  }
  return false;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
