// Preloaded into the gateway by `npm run stall`: the longest slices of its event loop in CPU time. Knows no route; the gateway does not know of it.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { PerformanceObserver } from "node:perf_hooks";

/** Milliseconds between two looks; a slice is measured as at most this and one turn of small work longer than it was. */
const LOOK_MS = 1;

/** Slices that are remembered since the last reset: the longest first. */
const REMEMBERED = 8;

/** What ran between two looks. Milliseconds; `from` and `to` on the monotonic clock, in microseconds, as a CPU profile has them. */
export interface Slice {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Of it: pauses of the garbage collector, by the wall clock. */
  readonly gcMs: number;
  readonly from: number;
  readonly to: number;
}

export interface MeterReport {
  readonly slices: readonly Slice[];
  readonly cpuMs: number;
  /** Bytes. */
  readonly peakRss: number;
  /** TCP sockets that are open now. */
  readonly sockets: number;
}

/** `reset` begins anew, with a profile where a file is named; `report` answers with a `MeterReport`, the profile written. */
export type MeterOrder = { readonly order: "reset"; readonly profile?: string } | { readonly order: "report" };

let slices: Slice[] = [];
let pauses: { readonly from: number; readonly ms: number }[] = [];
let peakRss = 0;
let looks = 0;
let cpu = 0;
let total = 0;
let last = 0;
let profile: { readonly session: Session; readonly file: string } | undefined;

if (process.channel && process.send) {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) pauses.push({ from: startTime, ms: duration });
    if (pauses.length > 20_000) pauses = pauses.slice(-10_000);
  }).observe({ entryTypes: ["gc"] });
  setInterval(look, LOOK_MS).unref();
  process.on("message", (order: MeterOrder) => void obey(order));
  process.channel.unref();
  reset();
}

function look(): void {
  const now = performance.now();
  const used = cpuMs();
  looks += 1;
  if (looks % 16 === 0) peakRss = Math.max(peakRss, process.memoryUsage.rss());
  keep({ cpuMs: used - cpu, wallMs: now - last, gcMs: 0, from: micros(last), to: micros(now) });
  cpu = used;
  last = now;
}

function keep(slice: Slice): void {
  const shortest = slices.at(-1);
  if (slices.length >= REMEMBERED && shortest && slice.cpuMs <= shortest.cpuMs) return;
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
  slices.push(slice);
  slices.sort((a, b) => b.cpuMs - a.cpuMs);
  slices.length = Math.min(slices.length, REMEMBERED);
}

async function obey(order: MeterOrder): Promise<void> {
  if (order.order === "reset") {
    if (order.profile) await startProfile(order.profile);
    reset();
    process.send?.("reset");
    return;
  }
  look();
  const report: MeterReport = {
    slices: slices.map((slice) => ({ ...slice, gcMs: pausesWithin(slice) })),
    cpuMs: cpuMs() - total,
    peakRss,
    sockets: process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length,
  };
  await stopProfile();
  process.send?.(report);
}

function reset(): void {
  slices = [];
  pauses = [];
  peakRss = process.memoryUsage.rss();
  cpu = cpuMs();
  total = cpu;
  last = performance.now();
}

async function startProfile(file: string): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 500 });
  await session.post("Profiler.start");
  profile = { session, file };
}

async function stopProfile(): Promise<void> {
  if (!profile) return;
  const { session, file } = profile;
  profile = undefined;
  writeFileSync(file, JSON.stringify((await session.post("Profiler.stop")).profile));
  session.disconnect();
}

function pausesWithin({ from, to }: Slice): number {
  const inside = pauses.filter((pause) => micros(pause.from) >= from && micros(pause.from + pause.ms) <= to);
  return inside.reduce((sum, { ms }) => sum + ms, 0);
}

/** CPU time of the thread that runs the loop, its share of the garbage collection included. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** A time of `performance.now()` on the monotonic clock. */
function micros(ms: number): number {
  return Number(process.hrtime.bigint() / 1000n) + (ms - performance.now()) * 1000;
}
