// A process that takes runs further, which the test tells what to do and may kill at any point.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Failure } from "../../../src/core/failures.ts";
import type { InterruptRecord } from "../../../src/core/runs/interrupts.ts";
import type { RunRecord } from "../../../src/core/stores/RunStore.ts";
import { inTime } from "./inTime.ts";
import type { Command } from "./runsInProcess.ts";

export class RunProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #said = "";

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.on("data", (data) => {
      this.#said += data;
    });
    child.stdin.on("error", () => undefined);
  }

  static async start(configFile: string): Promise<RunProcess> {
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(tmpdir(), "postel-compile-cache") };
    const child = spawn(process.execPath, ["test/support/runs/runsInProcess.ts", configFile], { env, stdio: "pipe" });
    const started = new RunProcess(child);
    await started.#line();
    return started;
  }

  /** What it answers; throws its typed failure. */
  async tell(command: Command): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    const { value, failure } = JSON.parse(await this.#line()) as { value?: unknown; failure?: Failure };
    if (failure) throw Object.assign(new Error(JSON.stringify(failure)), { failure });
    return value;
  }

  /** Tells it and does not listen. */
  shout(command: Command): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  async record(id: string): Promise<RunRecord | undefined> {
    return this.tell({ do: "record", id }).catch(() => undefined) as Promise<RunRecord | undefined>;
  }

  async interrupts(id: string): Promise<readonly InterruptRecord[]> {
    return (await this.tell({ do: "interrupts", id })) as readonly InterruptRecord[];
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await inTime("a killed process to end", exit);
  }

  stop(): void {
    this.#child.kill("SIGSTOP");
  }

  wake(): void {
    this.#child.kill("SIGCONT");
  }

  async #line(): Promise<string> {
    const line = await inTime("a line of the process", this.#lines.next()).catch((error: Error) => {
      throw new Error(`${error.message} It said: ${this.#said}`);
    });
    if (line.done) throw new Error(`The process has ended: ${this.#said}`);
    return line.value;
  }
}
