// A worker thread that extracts pages: started with the first page, ended if a page takes too long.
import { Worker } from "node:worker_threads";
import type { ExtractRequest, ExtractResult } from "./extract/WorkerMessages.ts";

const SOURCE = new URL("./extract/worker.ts", import.meta.url);
/** Source or built file: the compiler rewrites imports, and this is none. */
const ENTRY = import.meta.url.endsWith(".ts") ? SOURCE : new URL(SOURCE.href.replace(/\.ts$/, ".js"));

/** Megabytes: enough for the largest page that the default limits allow. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

const LEFT = "the page was being read when its call ended.";

export class PageWorker {
  /** The thread gets no environment variables and does not keep the process alive. */
  readonly #worker = new Worker(ENTRY, { env: {}, execArgv: [], resourceLimits: MEMORY });
  readonly #ready: Promise<unknown>;
  #hasEnded = false;

  constructor() {
    this.#worker.unref();
    // Without this listener, a failure of an idle thread would end the process.
    this.#worker.on("error", () => {
      this.#hasEnded = true;
    });
    this.#ready = this.#next().promise;
    // The error is reported to the caller of `read`.
    this.#ready.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Rejects with an Error with a message for the model; the thread has then ended. */
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

  /** The next message of the thread; rejects if it ends before. */
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
