// Starts the mock upstream and the load generator that all gateways are measured with.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadJob, LoadReport } from "./loadGenerator.ts";
import { findFreePort, killProcess, startNode, waitForPort } from "./processes.ts";

/** The core of the mock upstream and of the load generator. */
const CORE = 1;
const MOCK_UPSTREAM = fileURLToPath(new URL("./mockUpstream.ts", import.meta.url));
const LOAD_GENERATOR = fileURLToPath(new URL("./loadGenerator.ts", import.meta.url));

/** The mock upstream and the load generator, each in a process of its own. */
export class TestBed {
  /** Origin of the mock upstream, such as `http://127.0.0.1:4000`. */
  readonly upstreamOrigin: string;
  readonly #upstream: ChildProcess;
  readonly #loadGenerator: ChildProcess;

  private constructor(port: number, upstream: ChildProcess, loadGenerator: ChildProcess) {
    this.upstreamOrigin = `http://127.0.0.1:${port}`;
    this.#upstream = upstream;
    this.#loadGenerator = loadGenerator;
  }

  /** Starts both processes. @throws Error if the mock upstream accepts no connections within 20 s. */
  static async start(): Promise<TestBed> {
    const port = await findFreePort();
    const upstream = startNode(CORE, [MOCK_UPSTREAM, String(port)], { stdio: "inherit" });
    // Reports may hold NaN, which JSON cannot represent.
    const loadGenerator = startNode(CORE, [LOAD_GENERATOR], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      serialization: "advanced",
    });
    const testBed = new TestBed(port, upstream, loadGenerator);
    if (await waitForPort(port)) return testBed;
    await testBed.stop();
    throw new Error(`The mock upstream did not accept connections on port ${port} within 20 s. See its output above.`);
  }

  /** Runs one job. Jobs must not overlap. */
  async runJob(job: LoadJob): Promise<LoadReport> {
    const reply = once(this.#loadGenerator, "message");
    this.#loadGenerator.send(job);
    const [report] = (await reply) as [LoadReport];
    return report;
  }

  /** Kills both processes. */
  async stop(): Promise<void> {
    await Promise.all([killProcess(this.#upstream), killProcess(this.#loadGenerator)]);
  }
}
