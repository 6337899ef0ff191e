// One thread that reads pages: it is started with the first, and ended where one takes too long. Knows no queue.
import { Worker } from "node:worker_threads";
import type { ExtractRequest, ExtractResult } from "./extract/WorkerMessages.ts";

const SOURCE = new URL("./extract/worker.ts", import.meta.url);
/** As source or as built: the compiler rewrites imports, and this is none. */
const ENTRY = import.meta.url.endsWith(".ts") ? SOURCE : new URL(SOURCE.href.replace(/\.ts$/, ".js"));

/** Megabytes: enough for the trees of the largest page that the defaults let in. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

const LEFT = "the page was being read when its call ended.";

export class PageWorker {
  /** Nothing of the gateway's environment is in it, and it keeps no process alive. */
  readonly #worker = new Worker(ENTRY, { env: {}, execArgv: [], resourceLimits: MEMORY });
  readonly #ready: Promise<unknown>;
  #hasEnded = false;

  constructor() {
    this.#worker.unref();
    // Of a thread that fails while it reads nothing, nobody else hears; without a listener it would take the process along.
    this.#worker.on("error", () => {
      this.#hasEnded = true;
    });
    this.#ready = this.#next().promise;
    // Told to whoever reads.
    this.#ready.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Rejects with an Error in words for a model; the thread has ended then. */
  async read(order: ExtractRequest, signal: AbortSignal): Promise<ExtractResult> {
    const { parseMs } = order.bounds;
    const late = Promise.withResolvers<never>();
    const leave = (): void => late.reject(new Error(LEFT));
    if (signal.aborted) throw new Error(LEFT);
    signal.addEventListener("abort", leave, { once: true });
    let timer: NodeJS.Timeout | undefined;
    try {
      await Promise.race([this.#ready, late.promise]);
      timer = setTimeout(
        () =>
          late.reject(
            new Error(
              `Taking the page apart took longer than ${parseMs} ms, so it was given up. Look for the text elsewhere.`,
            ),
          ),
        parseMs,
      );
      const answer = this.#next();
      this.#worker.postMessage(order, [order.bytes.buffer]);
      return (await Promise.race([answer.promise, late.promise])) as ExtractResult;
    } catch (error) {
      void this.end();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    }
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  /** What the thread says next; rejects where it ends before. */
  #next(): PromiseWithResolvers<unknown> {
    const said = Promise.withResolvers<unknown>();
    const worker = this.#worker;
    const settle = (act: () => void): void => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      act();
    };
    const onMessage = (message: unknown): void => settle(() => said.resolve(message));
    const onError = (error: Error): void => settle(() => said.reject(failed(error)));
    const onExit = (): void => settle(() => said.reject(new Error("the thread that reads pages has ended.")));
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    return said;
  }
}

function failed(error: Error): Error {
  const isMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isMemory)
    return new Error(
      "Taking the page apart took more memory than one may, so it was given up. Look for the text elsewhere.",
    );
  return new Error(`the thread that reads pages has failed: ${error.message}`, { cause: error });
}
