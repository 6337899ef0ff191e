// A folder in which every run has its own transcript file. Does not know who records.

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, type JsonObject, type JsonValue } from "../core/messages.ts";
import type { AskedRequest } from "../core/ports.ts";
import { setYoungest } from "../core/setYoungest.ts";
import type { TranscriptSink } from "./recordEgress.ts";
import type { RequestSink } from "./recordRequests.ts";
import { formatTranscript, parseTranscript, type RecordedExchange, type TranscriptHeader } from "./Transcript.ts";

/** Runs whose file is remembered. An exchange of a forgotten one starts a new file. */
const MAX_RUNS = 1_000;

/** Bytes of answers that wait for the disk; what comes beyond them is lost, for the traffic does not wait. */
const MOST_WAITING = 67_108_864;

/** A run in progress: the file is chosen when the first exchange is written. */
interface OpenRun {
  readonly name: string;
  readonly request?: AskedRequest | undefined;
  file?: string;
}

export interface LostExchanges {
  /** So far. */
  readonly lost: number;
  readonly reason: string;
}

export interface TranscriptFolderOptions {
  /** What the operator's configuration says of a model, as it is written there. */
  readonly rowOf?: ((model: string) => JsonObject | undefined) | undefined;
  /** Called for the first exchange that is lost, and at the end with the sum. */
  readonly tell?: ((lost: LostExchanges) => void) | undefined;
}

/**
 * Adds each exchange to the file of its run; a file is replaced as a whole, so a reader never sees half of one. A run whose id
 * is taken (since before a restart) gets a file of its own: `id-2.jsonl` and so on. What cannot be written is counted and told once;
 * the next exchange is tried again.
 */
export class TranscriptFolder implements TranscriptSink, RequestSink {
  readonly #folder: string;
  readonly #rowOf: (model: string) => JsonObject | undefined;
  /** By run id, the oldest first. */
  readonly #runs = new Map<string, OpenRun>();
  readonly #tell: (lost: LostExchanges) => void;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #lost = 0;

  constructor(folder: string, options: TranscriptFolderOptions = {}) {
    this.#folder = folder;
    this.#rowOf = options.rowOf ?? (() => undefined);
    this.#tell = options.tell ?? (() => {});
  }

  begin(run: string, request: AskedRequest): void {
    this.#open(run, request);
  }

  write(exchange: RecordedExchange): void {
    const bytes = exchange.chunks.reduce((sum, chunk) => sum + chunk.bytes.byteLength, 0);
    if (this.#waiting + bytes > MOST_WAITING) {
      this.lose(new Error("the disk is slower than the traffic"));
      return;
    }
    const run = this.#runs.get(exchange.run) ?? this.#open(exchange.run);
    this.#waiting += bytes;
    this.#queue = this.#queue
      .then(() => this.#add(exchange, run))
      .catch((error: unknown) => this.lose(error))
      .finally(() => {
        this.#waiting -= bytes;
      });
  }

  lose(reason: unknown): void {
    this.#lost += 1;
    if (this.#lost === 1) this.#tell({ lost: 1, reason: describe(reason) });
  }

  /** Resolves when everything that can be is on disk; tells how many exchanges were lost, where more than the first were. */
  async flush(): Promise<void> {
    await this.#queue;
    if (this.#lost > 1) this.#tell({ lost: this.#lost, reason: "see the first" });
  }

  #open(id: string, request?: AskedRequest): OpenRun {
    // Run ids are ours, but a name that leaves the folder must be impossible and not merely unlikely.
    const run: OpenRun = { name: id.replaceAll(/[^A-Za-z0-9_-]/g, "-"), request };
    setYoungest(this.#runs, { key: id, value: run, most: MAX_RUNS });
    return run;
  }

  async #add(exchange: RecordedExchange, run: OpenRun): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const before = run.file === undefined ? [] : await readExchanges(run.file);
    run.file ??= await this.#freeFile(run.name);
    const exchanges = [...before, exchange].sort((a, b) => a.n - b.n);
    const temporary = `${run.file}.writing`;
    const header = this.#describe(exchanges, run.request);
    try {
      await writeFile(temporary, formatTranscript({ header, exchanges }), { mode: 0o600 });
      await rename(temporary, run.file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      // A name that nothing stands under yet is another run's too.
      if (before.length === 0) delete run.file;
      throw error;
    }
  }

  #describe(exchanges: readonly RecordedExchange[], request: AskedRequest | undefined): TranscriptHeader {
    const bodies = exchanges.flatMap(({ body }) => (isObject(body) && typeof body.model === "string" ? [body] : []));
    const model = bodies[0]?.model;
    const name = request?.body.model ?? model;
    const row = typeof name === "string" ? this.#rowOf(name) : undefined;
    return {
      postel: "transcript",
      version: 1,
      model: typeof model === "string" ? model : "unknown",
      description: "Recorded by the gateway.",
      asked: askedIn(request?.body ?? bodies[0]),
      ...(request && { request: wireRequest(request) }),
      ...(row && { row }),
      recorded_at: exchanges[0]?.at ?? "",
    };
  }

  async #freeFile(name: string): Promise<string> {
    const taken = new Set(await readdir(this.#folder));
    let file = `${name}.jsonl`;
    for (let count = 2; taken.has(file); count += 1) file = `${name}-${count}.jsonl`;
    return join(this.#folder, file);
  }
}

/** None where the file is gone, or was never written. */
async function readExchanges(file: string): Promise<readonly RecordedExchange[]> {
  try {
    return parseTranscript(await readFile(file, "utf8"), file).exchanges;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function describe(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function wireRequest(asked: AskedRequest): NonNullable<TranscriptHeader["request"]> {
  const { path, toolMode, onInvalid, parse, body } = asked;
  return {
    path,
    ...(toolMode && { tool_mode: toolMode }),
    ...(onInvalid && { on_invalid: onInvalid }),
    ...(parse && { parse }),
    body,
  };
}

function askedIn(body: JsonObject | undefined): string {
  const messages = Array.isArray(body?.messages) ? (body.messages as readonly JsonValue[]) : [];
  const question = messages.findLast((message) => isObject(message) && message.role === "user");
  const content = isObject(question) ? question.content : "";
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}
