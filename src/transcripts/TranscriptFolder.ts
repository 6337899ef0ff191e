// A folder in which every run has its own transcript file. Does not know who records.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import type { TranscriptSink } from "./recordEgress.ts";
import { formatTranscript, parseTranscript, type RecordedExchange, type TranscriptHeader } from "./Transcript.ts";

/** Adds each exchange to the file of its run; a file is replaced as a whole, so a reader never sees half of one. */
export class TranscriptFolder implements TranscriptSink {
  readonly #folder: string;
  #queue: Promise<void> = Promise.resolve();
  #failed: Error | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  write(exchange: RecordedExchange): void {
    this.#queue = this.#queue
      .then(() => this.#add(exchange))
      .catch((error: unknown) => {
        this.#failed ??= error instanceof Error ? error : new Error(String(error));
      });
  }

  /** Resolves when everything is on disk; rejects with the first error of writing. */
  async flush(): Promise<void> {
    await this.#queue;
    if (this.#failed) throw this.#failed;
  }

  async #add(exchange: RecordedExchange): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // Run ids are ours, but a name that leaves the folder must be impossible and not merely unlikely.
    const file = join(this.#folder, `${exchange.run.replaceAll(/[^A-Za-z0-9_-]/g, "-")}.jsonl`);
    const exchanges = [...(await readExchanges(file)), exchange].sort((a, b) => a.n - b.n);
    const temporary = `${file}.writing`;
    await writeFile(temporary, formatTranscript({ header: describe(exchanges), exchanges }), { mode: 0o600 });
    await rename(temporary, file);
  }
}

async function readExchanges(file: string): Promise<readonly RecordedExchange[]> {
  try {
    return parseTranscript(await readFile(file, "utf8"), file).exchanges;
  } catch (error) {
    if (typeof error === "object" && error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

function describe(exchanges: readonly RecordedExchange[]): TranscriptHeader {
  const bodies = exchanges.flatMap(({ body }) => (isObject(body) && typeof body.model === "string" ? [body] : []));
  const model = bodies[0]?.model;
  return {
    postel: "transcript",
    version: 1,
    model: typeof model === "string" ? model : "unknown",
    description: "Recorded by the gateway.",
    asked: askedIn(bodies[0]),
    recorded_at: exchanges[0]?.at ?? "",
  };
}

function askedIn(body: JsonObject | undefined): string {
  const messages = Array.isArray(body?.messages) ? (body.messages as readonly JsonValue[]) : [];
  const question = messages.findLast((message) => isObject(message) && message.role === "user");
  const content = isObject(question) ? question.content : "";
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
