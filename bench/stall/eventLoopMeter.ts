// Measures the longest slices of the gateway's event loop in CPU time. `npm run stall` preloads it into the gateway
// with `--import` and sends its orders over IPC.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { PerformanceObserver } from "node:perf_hooks";
import type { TimeSpan } from "./cpuProfile.ts";

/** Interval between two readings. A slice may be measured this much too long. Milliseconds. */
const READING_INTERVAL_MS = 1;
/** Readings between two readings of the resident memory. */
const READINGS_PER_MEMORY_READING = 16;
/** Number of the longest slices that are kept. */
const KEPT_SLICES = 8;
/** Garbage collections that are kept, and the number at which older ones are dropped. */
const KEPT_COLLECTIONS = 10_000;
const MAX_COLLECTIONS = 20_000;
/** Interval of the CPU profile's samples. Microseconds. */
const SAMPLING_INTERVAL_US = 500;

/** The time between two readings, with the work that the event loop did in it. */
export interface Slice extends TimeSpan {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Pauses of the garbage collector within the slice, in wall-clock milliseconds. */
  readonly gcMs: number;
}

/** What was measured since the last reset. */
export interface MeterReport {
  /** The longest slices by CPU time, in descending order. */
  readonly slices: readonly Slice[];
  /** CPU time of the event loop's thread. */
  readonly cpuMs: number;
  /** Peak resident memory in bytes. */
  readonly peakRss: number;
  /** TCP sockets that are open at the time of the report. */
  readonly sockets: number;
}

/**
 * An order to the meter. `reset` begins a new measurement, and starts a CPU profile if a file is given.
 * `report` writes the profile and answers with a `MeterReport`.
 */
export type MeterOrder = { readonly order: "reset"; readonly profile?: string } | { readonly order: "report" };

let slices: Slice[] = [];
let collections: { readonly startMs: number; readonly durationMs: number }[] = [];
let peakRss = 0;
let readings = 0;
let cpuMsAtReset = 0;
let cpuMsAtReading = 0;
let readingAt = 0;
let profile: { readonly session: Session; readonly file: string } | undefined;

if (process.channel && process.send) {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ startMs: startTime, durationMs: duration });
    if (collections.length > MAX_COLLECTIONS) collections = collections.slice(-KEPT_COLLECTIONS);
  }).observe({ entryTypes: ["gc"] });
  setInterval(takeReading, READING_INTERVAL_MS).unref();
  process.on("message", (order: MeterOrder) => void executeOrder(order));
  process.channel.unref();
  reset();
}

function takeReading(): void {
  const now = performance.now();
  const cpuMs = readCpuMs();
  readings += 1;
  if (readings % READINGS_PER_MEMORY_READING === 0) updatePeakRss();
  keepSlice({
    ...{ cpuMs: cpuMs - cpuMsAtReading, wallMs: now - readingAt, gcMs: 0 },
    ...{ from: toMonotonicMicros(readingAt), to: toMonotonicMicros(now) },
  });
  cpuMsAtReading = cpuMs;
  readingAt = now;
}

function updatePeakRss(): void {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}

/** Keeps the slice if it is one of the longest. */
function keepSlice(slice: Slice): void {
  const shortest = slices.at(-1);
  if (slices.length >= KEPT_SLICES && shortest && slice.cpuMs <= shortest.cpuMs) return;
  updatePeakRss();
  slices.push(slice);
  slices.sort((a, b) => b.cpuMs - a.cpuMs);
  slices.length = Math.min(slices.length, KEPT_SLICES);
}

async function executeOrder(order: MeterOrder): Promise<void> {
  if (order.order === "reset") {
    if (order.profile) await startProfile(order.profile);
    reset();
    process.send?.("reset");
    return;
  }
  takeReading();
  const report: MeterReport = {
    slices: slices.map((slice) => ({ ...slice, gcMs: sumCollections(slice) })),
    cpuMs: readCpuMs() - cpuMsAtReset,
    peakRss,
    sockets: process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length,
  };
  await stopProfile();
  process.send?.(report);
}

function reset(): void {
  slices = [];
  collections = [];
  peakRss = process.memoryUsage.rss();
  cpuMsAtReset = readCpuMs();
  cpuMsAtReading = cpuMsAtReset;
  readingAt = performance.now();
}

async function startProfile(file: string): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLING_INTERVAL_US });
  await session.post("Profiler.start");
  profile = { session, file };
}

/** Writes the profile to its file, if one was started. */
async function stopProfile(): Promise<void> {
  if (!profile) return;
  const { session, file } = profile;
  profile = undefined;
  writeFileSync(file, JSON.stringify((await session.post("Profiler.stop")).profile));
  session.disconnect();
}

/** Returns the milliseconds of the garbage collections that lie completely within `span`. */
function sumCollections({ from, to }: TimeSpan): number {
  const inside = collections.filter(
    ({ startMs, durationMs }) => toMonotonicMicros(startMs) >= from && toMonotonicMicros(startMs + durationMs) <= to,
  );
  return inside.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Returns the CPU time of the event loop's thread, including its share of the garbage collection. */
function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Converts a time of `performance.now()` to microseconds of the monotonic clock, which CPU profiles use. */
function toMonotonicMicros(ms: number): number {
  return Number(process.hrtime.bigint() / 1000n) + (ms - performance.now()) * 1000;
}
