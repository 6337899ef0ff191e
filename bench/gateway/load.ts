// The callers, as a process of their own on raw sockets: does the jobs that it is sent, each once, and reports. Knows no gateway.
import { setTimeout as sleep } from "node:timers/promises";
import { Caller, type Counts } from "./Caller.ts";
import { cpuMicros, residentBytes } from "./processes.ts";

export interface Job {
  readonly port: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Each asks, waits for the end of the answer and asks again. */
  readonly callers: number;
  /** The callers come over this time, and are then waited for before anything is counted. Milliseconds. */
  readonly rampMs: number;
  readonly settleMs: number;
  readonly countMs: number;
  /** Whose CPU time and memory are taken. */
  readonly pids: readonly number[];
}

export interface Report {
  readonly seconds: number;
  readonly answers: number;
  readonly events: number;
  /** Answers without status 200, and connections that broke. */
  readonly faults: number;
  /** Medians in microseconds; NaN where there were none. */
  readonly answerUs: number;
  readonly firstEventUs: number;
  /** Of the processes while it was counted. */
  readonly cpuUs: number;
  /** Bytes by which the processes were larger at most than before the first caller came, a caller. */
  readonly bytesACaller: number;
}

/** Milliseconds between two looks at the memory. */
const LOOK_MS = 200;

process.on("message", async (job: Job) => process.send?.(await done(job)));

async function done(job: Job): Promise<Report> {
  const request = requestOf(job);
  const counts: Counts = { answers: 0, events: 0, faults: 0, answerUs: [], firstEventUs: [] };
  const before = residentBytes(job.pids);
  const callers: Caller[] = [];
  for (let i = 0; i < job.callers; i += 1) {
    callers.push(new Caller(job.port, request, counts));
    if (job.rampMs > 0) await sleep(job.rampMs / job.callers);
  }
  await sleep(job.settleMs);
  Object.assign(counts, { answers: 0, events: 0, faults: 0, answerUs: [], firstEventUs: [] });
  const [started, cpu] = [performance.now(), cpuMicros(job.pids)];
  let most = residentBytes(job.pids);
  while (performance.now() - started < job.countMs) {
    await sleep(LOOK_MS);
    most = Math.max(most, residentBytes(job.pids));
  }
  const cpuUs = cpuMicros(job.pids) - cpu;
  const seconds = (performance.now() - started) / 1000;
  const { answerUs, firstEventUs, ...counted } = counts;
  for (const caller of callers) caller.leave();
  const bytesACaller = (most - before) / job.callers;
  return { ...counted, seconds, cpuUs, bytesACaller, answerUs: median(answerUs), firstEventUs: median(firstEventUs) };
}

function requestOf({ port, body, headers }: Job): Buffer {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    authorization: "Bearer key",
    accept: "*/*",
    ...headers,
    "content-length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST /v1/chat/completions HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
