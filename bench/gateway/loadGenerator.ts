// Generates load in a process of its own: it runs each job that arrives as an IPC message and answers with the report.
import { setTimeout as sleep } from "node:timers/promises";
import { computeMedian } from "../median.ts";
import { LoadClient, type LoadCounts } from "./LoadClient.ts";
import { measureCpuMicros, measureResidentBytes } from "./processes.ts";

/** One measurement: what is sent, by how many clients, and for how long. */
export interface LoadJob {
  /** Port of the gateway on 127.0.0.1. */
  readonly port: number;
  /** JSON text of the request. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of clients. Each sends its next request at the end of the answer. */
  readonly clients: number;
  /** Time over which the clients connect one after another. Milliseconds. */
  readonly rampMs: number;
  /** Time between the last connect and the measurement. Milliseconds. */
  readonly settleMs: number;
  /** Length of the measurement. Milliseconds. */
  readonly measureMs: number;
  /** Processes of the gateway, whose CPU time and memory are measured. */
  readonly pids: readonly number[];
}

/** What was measured in one job. */
export interface LoadReport {
  /** Length of the measurement in seconds. */
  readonly seconds: number;
  readonly answers: number;
  readonly events: number;
  /** Answers with a status other than 200, and connections that broke. */
  readonly faults: number;
  /** Median time to the end of an answer in microseconds; NaN without answers. */
  readonly answerUs: number;
  /** Median time to the first event in microseconds; NaN without events. */
  readonly firstEventUs: number;
  /** CPU time of `pids` during the measurement in microseconds; NaN if the system does not report it. */
  readonly cpuUs: number;
  /** Growth of the resident memory of `pids` since before the first client, at its peak, in bytes per client. */
  readonly bytesPerClient: number;
}

/** Interval between two readings of the resident memory. Milliseconds. */
const MEMORY_INTERVAL_MS = 200;

process.on("message", async (job: LoadJob) => process.send?.(await runJob(job)));

async function runJob(job: LoadJob): Promise<LoadReport> {
  const counts: LoadCounts = { answers: 0, events: 0, faults: 0, answerUs: [], firstEventUs: [] };
  const idleBytes = measureResidentBytes(job.pids);
  const clients = await connectClients(job, counts);
  await sleep(job.settleMs);
  Object.assign(counts, { answers: 0, events: 0, faults: 0, answerUs: [], firstEventUs: [] });
  const startedAt = performance.now();
  const cpuBefore = measureCpuMicros(job.pids);
  let peakBytes = measureResidentBytes(job.pids);
  while (performance.now() - startedAt < job.measureMs) {
    await sleep(MEMORY_INTERVAL_MS);
    peakBytes = Math.max(peakBytes, measureResidentBytes(job.pids));
  }
  const cpuUs = measureCpuMicros(job.pids) - cpuBefore;
  const seconds = (performance.now() - startedAt) / 1000;
  const { answers, events, faults, answerUs, firstEventUs } = counts;
  for (const client of clients) client.close();
  return {
    ...{ seconds, answers, events, faults, cpuUs },
    answerUs: computeMedian(answerUs),
    firstEventUs: computeMedian(firstEventUs),
    bytesPerClient: (peakBytes - idleBytes) / job.clients,
  };
}

async function connectClients(job: LoadJob, counts: LoadCounts): Promise<readonly LoadClient[]> {
  const request = createRequest(job);
  const clients: LoadClient[] = [];
  for (let i = 0; i < job.clients; i += 1) {
    clients.push(new LoadClient(job.port, request, counts));
    if (job.rampMs > 0) await sleep(job.rampMs / job.clients);
  }
  return clients;
}

function createRequest({ port, body, headers }: LoadJob): Buffer {
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
