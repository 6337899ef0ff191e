// Starts the gateway from its sources as a child process, with the event loop meter inside it and a prober of `/health` beside it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import type { MeterOrder, MeterReport } from "./eventLoopMeter.ts";
import type { HealthOrder, HealthReport } from "./healthProber.ts";

/** What was measured since the last reset. */
export interface GatewayReport extends MeterReport {
  readonly health: HealthReport;
}

/** The store's file in the gateway's folder. */
export const STORE_FILE = "store.db";
/** The component that reads pages of the hostile upstream's server, and the agent that uses it. */
export const SCRAPER_COMPONENT = "page";
export const SCRAPER_AGENT = "reader";
/** The component whose SQL statements the gateway checks before they run, and the agent that uses it. */
export const DATABASE_COMPONENT = "database";
export const DATABASE_AGENT = "clerk";
const QUERY_ACTION = {
  ...{ id: "query", method: "POST", path: "/query", body: { sql: `\${input.sql}` } },
  params: { sql: { type: "string", format: "sql" } },
};

/** A running gateway with default limits. Its files are in the folder that `start` was given. */
export class GatewayProcess {
  /** Port on 127.0.0.1. */
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #prober: Worker;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.#prober = new Worker(new URL("./healthProber.ts", import.meta.url), { workerData: { port } });
  }

  /** Starts a gateway. @throws Error if the process exits before it listens. */
  static async start(upstreamUrl: string, folder: string): Promise<GatewayProcess> {
    const configFile = join(folder, "postel.yaml");
    writeFileSync(configFile, JSON.stringify(createConfig(upstreamUrl)));
    const meter = new URL("./eventLoopMeter.ts", import.meta.url).href;
    const child = spawn(
      process.execPath,
      ["--import", meter, "src/main.ts", "serve", "--config", configFile, "--port", "0"],
      { env: { PATH: process.env.PATH }, stdio: ["ignore", "pipe", "ignore", "ipc"] },
    );
    if (!child.stdout) throw new Error("The gateway's process has no standard output.");
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port) return new GatewayProcess(child, Number(port));
    }
    throw new Error("The gateway exited before it listened. Run `npm start` to see its error.");
  }

  /** True until the process has exited. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Begins a new measurement. @param profile file for a CPU profile of it. */
  async reset(profile?: string): Promise<void> {
    this.#prober.postMessage("reset" satisfies HealthOrder);
    await this.#sendOrder({ order: "reset", ...(profile !== undefined && { profile }) });
  }

  /** Resolves to the measurement since the last reset, or to undefined if the gateway has exited. */
  async report(): Promise<GatewayReport | undefined> {
    const meterReport = await this.#sendOrder({ order: "report" });
    if (meterReport === undefined) return undefined;
    const reply = once(this.#prober, "message");
    this.#prober.postMessage("report" satisfies HealthOrder);
    const [health] = (await reply) as [HealthReport];
    return { ...(meterReport as MeterReport), health };
  }

  /** Kills the process and resolves when it has exited. */
  async stop(): Promise<void> {
    await this.#prober.terminate();
    if (!this.isRunning) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  /** Resolves to the meter's reply, or to undefined if the gateway exits first. */
  async #sendOrder(order: MeterOrder): Promise<unknown> {
    if (!this.isRunning) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const reply = once(this.#child, "message", { signal }).then(([message]) => message as unknown);
    const exit = once(this.#child, "exit", { signal }).then(() => undefined);
    this.#child.send(order);
    try {
      return await Promise.race([reply, exit]);
    } finally {
      controller.abort();
      await Promise.allSettled([reply, exit]);
    }
  }
}

function createConfig(upstreamUrl: string): object {
  return {
    upstreams: [{ id: "hostile", base_url: upstreamUrl }],
    components: [
      { id: SCRAPER_COMPONENT, type: "web-scraper", hosts: [new URL(upstreamUrl).host] },
      { id: DATABASE_COMPONENT, type: "http-client", base_url: upstreamUrl, actions: [QUERY_ACTION] },
    ],
    agents: [
      { id: SCRAPER_AGENT, tools: [SCRAPER_COMPONENT] },
      { id: DATABASE_AGENT, tools: [DATABASE_COMPONENT] },
    ],
    store: { file: STORE_FILE },
  };
}
