// A folder with one transcript file for each run.

import { constants, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setBounded } from "../../core/async/setBounded.ts";
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { ReceivedRequest } from "../../core/ports.ts";
import { groupByKind, listRecordedLines, type RecordedLine } from "../format/RecordedLine.ts";
import {
  encodeExchange,
  encodeLine,
  encodeTranscript,
  parseTranscript,
  type RecordedExchange,
  type Transcript,
  type TranscriptHeader,
  UNNAMED,
} from "../format/Transcript.ts";
import type { Ended, TranscriptSink } from "./recordEgress.ts";
import type { RequestSink } from "./recordRequests.ts";

/** Maximum runs with a known file. An exchange of a forgotten run starts a new file. */
const MAX_RUNS = 1_000;

/** Bytes of answers that wait for the disk. Further ones are lost, since requests do not wait. */
const MOST_WAITING = 67_108_864;

/** A run in progress: the file is chosen when the first exchange is written. */
interface OpenRun {
  readonly name: string;
  /** Reads the request of the caller. Called with the first exchange. */
  loadRequest?: (() => Promise<ReceivedRequest>) | undefined;
  request?: ReceivedRequest | undefined;
  file?: string;
  /** The number of the last exchange in the file, and whether its header names the model that was asked. */
  last: number;
  isNamed: boolean;
}

interface Rewriting {
  readonly file: string;
  readonly temporary: string;
  readonly run: OpenRun;
  readonly part: Part;
}

/** Content of a run's file after the header. */
type Part = RecordedExchange | RecordedLine;

export interface UnrecordedExchanges {
  /** So far. */
  readonly lost: number;
  readonly reason: string;
}

export interface TranscriptFolderOptions {
  /** The model that a request asks, by the name that the gateway has for it; absent: the one that its exchanges name. */
  readonly resolveModel?: ((request: ReceivedRequest) => string | undefined) | undefined;
  /** Returns the configuration of a model as the operator wrote it. */
  readonly resolveProfile?: ((model: string) => JsonObject | undefined) | undefined;
  /** Called for the first exchange that is lost, and at the end with the sum. */
  readonly onLost?: ((lost: UnrecordedExchanges) => void) | undefined;
}

/**
 * Adds each exchange to a copy of its run's file and then replaces the file, so a reader never sees half a line. A run whose id is taken
 * (since before a restart) gets another file: `id-2.jsonl` and so on. A failed write is counted and reported once; the next exchange
 * tries again.
 */
export class TranscriptFolder implements TranscriptSink<Part>, RequestSink {
  readonly #folder: string;
  readonly #resolveModel: NonNullable<TranscriptFolderOptions["resolveModel"]>;
  readonly #resolveProfile: (model: string) => JsonObject | undefined;
  /** By run id, the oldest first. */
  readonly #runs = new Map<string, OpenRun>();
  readonly #onLost: (lost: UnrecordedExchanges) => void;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #lostCount = 0;

  constructor(folder: string, options: TranscriptFolderOptions = {}) {
    this.#folder = folder;
    this.#resolveModel = options.resolveModel ?? (() => undefined);
    this.#resolveProfile = options.resolveProfile ?? (() => undefined);
    this.#onLost = options.onLost ?? (() => {});
  }

  begin(run: string, redacted: () => Promise<ReceivedRequest>): void {
    this.#open(run, redacted);
  }

  write(endedPart: Ended<Part>): void {
    const { bytes } = endedPart;
    if (this.#waiting + bytes > MOST_WAITING) {
      this.lose(new Error("the disk is slower than the traffic"));
      return;
    }
    const run = this.#runs.get(endedPart.run) ?? this.#open(endedPart.run);
    this.#waiting += bytes;
    this.#queue = this.#queue
      .then(async () => this.#add(await endedPart.redacted(), run))
      .catch((error: unknown) => this.lose(error))
      .finally(() => {
        this.#waiting -= bytes;
      });
  }

  lose(reason: unknown): void {
    this.#lostCount += 1;
    if (this.#lostCount === 1) this.#onLost({ lost: 1, reason: describe(reason) });
  }

  /** Resolves when everything possible is on disk. Reports the number of lost exchanges if there was more than the first. */
  async flush(): Promise<void> {
    await this.#queue;
    if (this.#lostCount > 1) this.#onLost({ lost: this.#lostCount, reason: "see the first" });
  }

  #open(id: string, loadRequest?: () => Promise<ReceivedRequest>): OpenRun {
    // The gateway creates run ids, but a name outside the folder must be impossible and not merely unlikely.
    const run: OpenRun = { name: id.replaceAll(/[^A-Za-z0-9_-]/g, "-"), loadRequest, last: -1, isNamed: false };
    setBounded(this.#runs, { key: id, value: run, maxSize: MAX_RUNS });
    return run;
  }

  async #add(part: Part, run: OpenRun): Promise<void> {
    await makeFolder(this.#folder);
    if (run.loadRequest) run.request = await run.loadRequest();
    delete run.loadRequest;
    const file = run.file ?? (await this.#freeFile(run.name));
    const temporary = `${file}.writing`;
    try {
      if (await isCopied(run, part, temporary)) await writeFile(temporary, inSlices(iterateTexts(part)), { flag: "a" });
      else await this.#writeAnew({ file, temporary, run, part });
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    run.file = file;
    if (isExchange(part)) run.last = Math.max(run.last, part.n);
  }

  /** Writes all exchanges of the run in the order of sending, then its other lines. */
  async #writeAnew({ file, temporary, run, part }: Rewriting): Promise<void> {
    const before = run.file === undefined ? EMPTY : await readParts(file);
    const { exchanges: sentBytes } = before;
    const exchanges = isExchange(part) ? [...sentBytes, part].sort((a, b) => a.n - b.n) : sentBytes;
    const allLines = isExchange(part) ? listRecordedLines(before) : [...listRecordedLines(before), part];
    const header = this.#describe(exchanges, run.request, part);
    await writeFile(temporary, inSlices(encodeTranscript({ header, exchanges, ...groupByKind(allLines) })), {
      mode: 0o600,
    });
    run.isNamed = header.model !== UNNAMED;
  }

  #describe(
    exchanges: readonly RecordedExchange[],
    request: ReceivedRequest | undefined,
    part: Part,
  ): TranscriptHeader {
    const bodies = exchanges.flatMap(({ body }) => (isObject(body) && typeof body.model === "string" ? [body] : []));
    // The request to a server may name the model otherwise: by a deployment's name, or in the address.
    const model = (request && this.#resolveModel(request)) ?? bodies[0]?.model;
    const row = typeof model === "string" ? this.#resolveProfile(model) : undefined;
    return {
      postel: "transcript",
      version: 1,
      model: typeof model === "string" ? model : UNNAMED,
      description: "Recorded by the gateway.",
      asked: findQuestion(request?.body ?? bodies[0]),
      ...(request && { request: wireRequest(request) }),
      ...(row && { row }),
      recorded_at: exchanges[0]?.at ?? part.at,
    };
  }

  async #freeFile(name: string): Promise<string> {
    const existingNames = new Set(await readdir(this.#folder));
    let file = `${name}.jsonl`;
    for (let count = 2; existingNames.has(file); count += 1) file = `${name}-${count}.jsonl`;
    return join(this.#folder, file);
  }
}

/**
 * Copies the run's file through the kernel if the part only has to be appended, so that a long run costs no more than a
 * short one. Returns false if the file must be rewritten, or is gone.
 */
async function isCopied(run: OpenRun, part: Part, temporary: string): Promise<boolean> {
  if (run.file === undefined || !run.isNamed || (isExchange(part) && part.n <= run.last)) return false;
  try {
    await copyFile(run.file, temporary, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Like a recursive `mkdir`. Node's own never returns for an existing folder in which none can be created (`/proc/x`). */
async function makeFolder(folder: string): Promise<void> {
  if (await makeIfMissing(folder, ["EEXIST", "ENOENT"])) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await makeIfMissing(folder, ["EEXIST"]);
}

/** Returns false if it failed with one of the given codes. */
async function makeIfMissing(folder: string, codes: readonly string[]): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Lines in pieces of some size, with a turn of the event loop between them. */
async function* inSlices(lines: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let transcriptFiles: string[] = [];
  let length = 0;
  for (const line of lines) {
    transcriptFiles.push(line);
    length += line.length;
    if (length < SLICE) continue;
    yield transcriptFiles.join("");
    transcriptFiles = [];
    length = 0;
    await yieldToEventLoop();
  }
  yield transcriptFiles.join("");
}

/** Characters that are written in one go. */
const SLICE = 262_144;

function isExchange(part: Part): part is RecordedExchange {
  return "chunks" in part;
}

function iterateTexts(part: Part): Iterable<string> {
  return isExchange(part) ? encodeExchange(part) : [encodeLine(part)];
}

const EMPTY: Omit<Transcript, "header"> = { exchanges: [] };

/** Empty if the file is gone, or was never written. */
async function readParts(file: string): Promise<Omit<Transcript, "header">> {
  try {
    return parseTranscript(await readFile(file, "utf8"), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return EMPTY;
    throw error;
  }
}

function describe(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function wireRequest(request: ReceivedRequest): NonNullable<TranscriptHeader["request"]> {
  const { path, toolMode, onInvalid, parse, body } = request;
  return {
    path,
    ...(toolMode && { tool_mode: toolMode }),
    ...(onInvalid && { on_invalid: onInvalid }),
    ...(parse && { parse }),
    body,
  };
}

function findQuestion(body: JsonObject | undefined): string {
  const messages = Array.isArray(body?.messages) ? (body.messages as readonly JsonValue[]) : [];
  const question = messages.findLast((message) => isObject(message) && message.role === "user");
  const content = isObject(question) ? question.content : "";
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}
