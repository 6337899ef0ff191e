// The real gateway as a child process with the meter inside and a prober beside it. Knows no attack.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import type { MeterOrder, MeterReport } from "./meter.ts";
import type { ProbeReport } from "./prober.ts";

export interface Measured extends MeterReport {
  readonly health: ProbeReport;
}

/** In the gateway's folder. */
export const STORE = "store.db";
/** The ids of a component that reads pages of the upstream's own server, and of the agent that has it. */
export const SCRAPER = "page";
export const READER = "reader";
/** The ids of a component whose statements are read before they run, and of the agent that has it. */
export const DATABASE = "database";
export const CLERK = "clerk";
const QUERY = {
  ...{ id: "query", method: "POST", path: "/query", body: { sql: `\${input.sql}` } },
  params: { sql: { type: "string", format: "sql" } },
};

export class GatewayProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #prober: Worker;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.#prober = new Worker(new URL("./prober.ts", import.meta.url), { workerData: { port } });
  }

  /** Every limit at its default; what is kept goes into `store.db` of `folder`. */
  static async start(upstream: string, folder: string): Promise<GatewayProcess> {
    const config = join(folder, "postel.yaml");
    writeFileSync(
      config,
      JSON.stringify({
        upstreams: [{ id: "hostile", base_url: upstream }],
        components: [
          { id: SCRAPER, type: "web-scraper", hosts: [new URL(upstream).host] },
          { id: DATABASE, type: "http-client", base_url: upstream, actions: [QUERY] },
        ],
        agents: [
          { id: READER, tools: [SCRAPER] },
          { id: CLERK, tools: [DATABASE] },
        ],
        store: { file: STORE },
      }),
    );
    const child = spawn(
      process.execPath,
      [
        "--import",
        new URL("./meter.ts", import.meta.url).href,
        "src/main.ts",
        "serve",
        "--config",
        config,
        "--port",
        "0",
      ],
      { env: { PATH: process.env.PATH }, stdio: ["ignore", "pipe", "ignore", "ipc"] },
    );
    if (!child.stdout) throw new Error("The gateway has no output.");
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port) return new GatewayProcess(child, Number(port));
    }
    throw new Error("The gateway ended before it listened.");
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async reset(profile?: string): Promise<void> {
    this.#prober.postMessage("reset");
    await this.#ask({ order: "reset", ...(profile !== undefined && { profile }) });
  }

  /** `undefined` where the gateway has died. */
  async report(): Promise<Measured | undefined> {
    const meter = await this.#ask({ order: "report" });
    if (meter === undefined) return undefined;
    const said = once(this.#prober, "message");
    this.#prober.postMessage("report");
    const [health] = (await said) as [ProbeReport];
    return { ...(meter as MeterReport), health };
  }

  async stop(): Promise<void> {
    await this.#prober.terminate();
    if (!this.alive) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async #ask(order: MeterOrder): Promise<unknown> {
    if (!this.alive) return undefined;
    const heard = new AbortController();
    const { signal } = heard;
    const answer = once(this.#child, "message", { signal }).then(([message]) => message as unknown);
    const death = once(this.#child, "exit", { signal }).then(() => undefined);
    this.#child.send(order);
    try {
      return await Promise.race([answer, death]);
    } finally {
      heard.abort();
      await Promise.allSettled([answer, death]);
    }
  }
}
