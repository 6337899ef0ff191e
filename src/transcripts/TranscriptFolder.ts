// A folder in which every run has its own transcript file. Does not know who records.

import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, type JsonObject, type JsonValue } from "../core/messages.ts";
import type { AskedRequest } from "../core/ports.ts";
import { setYoungest } from "../core/setYoungest.ts";
import type { TranscriptSink } from "./recordEgress.ts";
import type { RequestSink } from "./recordRequests.ts";
import { formatTranscript, parseTranscript, type RecordedExchange, type TranscriptHeader } from "./Transcript.ts";

/** Runs whose file is remembered. An exchange of a forgotten one starts a new file. */
const MAX_RUNS = 1_000;

/** A run in progress: the file is chosen when the first exchange is written. */
interface OpenRun {
  readonly name: string;
  readonly request?: AskedRequest | undefined;
  file?: string;
}

/**
 * Adds each exchange to the file of its run; a file is replaced as a whole, so a reader never sees half of one. A run whose id
 * is taken (by the caller's choice of ids, or since before a restart) gets a file of its own: `id-2.jsonl` and so on.
 */
export class TranscriptFolder implements TranscriptSink, RequestSink {
  readonly #folder: string;
  readonly #rowOf: (model: string) => JsonObject | undefined;
  /** By run id, the oldest first. */
  readonly #runs = new Map<string, OpenRun>();
  #queue: Promise<void> = Promise.resolve();
  #failed: Error | undefined;

  /** @param rowOf what the operator's configuration says of a model, as it is written there. */
  constructor(folder: string, rowOf: (model: string) => JsonObject | undefined = () => undefined) {
    this.#folder = folder;
    this.#rowOf = rowOf;
  }

  begin(run: string, request: AskedRequest): void {
    this.#open(run, request);
  }

  write(exchange: RecordedExchange): void {
    const run = this.#runs.get(exchange.run) ?? this.#open(exchange.run);
    this.#queue = this.#queue
      .then(() => this.#add(exchange, run))
      .catch((error: unknown) => {
        this.#failed ??= error instanceof Error ? error : new Error(String(error));
      });
  }

  /** Resolves when everything is on disk; rejects with the first error of writing. */
  async flush(): Promise<void> {
    await this.#queue;
    if (this.#failed) throw this.#failed;
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
    await writeFile(temporary, formatTranscript({ header, exchanges }), { mode: 0o600 });
    await rename(temporary, run.file);
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

async function readExchanges(file: string): Promise<readonly RecordedExchange[]> {
  return parseTranscript(await readFile(file, "utf8"), file).exchanges;
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
