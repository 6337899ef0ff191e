// Defines the gateways that are measured, and starts each as a process on core 0 in front of the mock upstream.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort, killProcess, startNode, waitForPort } from "./processes.ts";

/** A gateway that can be measured. */
export interface Contender {
  /** Unique name, as the tables print it. */
  readonly name: string;
  /** Working directory of its process. */
  readonly folder: string;
  /** Returns the arguments of Node that start the gateway on `port` in front of the upstream at `origin`. */
  getArguments(port: number, origin: string): readonly string[];
  /** Returns the headers that clients of this gateway have to send. */
  getHeaders(origin: string): Readonly<Record<string, string>>;
}

/** A started gateway that accepts connections. */
export interface RunningGateway {
  readonly name: string;
  /** Port on 127.0.0.1. */
  readonly port: number;
  readonly pid: number;
  /** Headers that clients have to send. */
  readonly headers: Readonly<Record<string, string>>;
  /** Kills the process and resolves when it has exited. */
  stop(): Promise<void>;
}

const PROJECT_FOLDER = fileURLToPath(new URL("../..", import.meta.url));

/** The reference proxy of `bareProxy.ts`. */
export const BARE_PROXY: Contender = {
  name: "bare",
  folder: PROJECT_FOLDER,
  getArguments: (port, origin) => [fileURLToPath(new URL("./bareProxy.ts", import.meta.url)), String(port), origin],
  getHeaders: () => ({}),
};

/** Returns Postel as it runs from the sources of `checkout`, with the packages installed there. The default is this checkout. */
export function createPostel(name: string, checkout = PROJECT_FOLDER): Contender {
  const folder = resolve(checkout);
  const program = join(folder, "src/main.ts");
  return {
    name,
    folder,
    getArguments: (port, origin) => [program, "serve", "--upstream", `${origin}/v1`, "--port", String(port)],
    getHeaders: () => ({}),
  };
}

/** Returns Portkey's gateway, or undefined if `@portkey-ai/gateway` is not installed in `folder`. */
export function findPortkey(folder: string): Contender | undefined {
  const program = join(resolve(folder), "node_modules/@portkey-ai/gateway/build/start-server.js");
  if (!existsSync(program)) return undefined;
  return {
    name: "portkey",
    folder,
    getArguments: (port) => [program, "--headless", `--port=${port}`],
    getHeaders: (origin) => ({ "x-portkey-provider": "openai", "x-portkey-custom-host": `${origin}/v1` }),
  };
}

/** Starts a gateway. @throws Error if it accepts no connections within 20 s. */
export async function startGateway(contender: Contender, origin: string): Promise<RunningGateway> {
  const { name, folder } = contender;
  const port = await findFreePort();
  const env = { ...process.env, NODE_ENV: "production" };
  const child = startNode(0, contender.getArguments(port, origin), { cwd: folder, env, stdio: "ignore" });
  if (child.pid === undefined || !(await waitForPort(port))) {
    await killProcess(child);
    throw new Error(`${name} did not accept connections within 20 s. Start it by hand in ${folder} to see its error.`);
  }
  const headers = contender.getHeaders(origin);
  return { name, port, pid: child.pid, headers, stop: () => killProcess(child) };
}
