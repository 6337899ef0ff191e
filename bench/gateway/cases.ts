// Defines the cases of the benchmark, the figures that are computed from their reports, and the goals for Postel.
import type { LoadJob, LoadReport } from "./loadGenerator.ts";
import { BODIES } from "./requestBodies.ts";

/** The load of a job without the gateway. All times are in milliseconds, see `LoadJob`. */
export type Load = Pick<LoadJob, "body" | "clients" | "rampMs" | "settleMs" | "measureMs">;

/** A load that every gateway is measured with. */
export interface Case extends Load {
  readonly name: CaseName;
  /**
   * True if each measurement needs a new process of the gateway: the case measures memory,
   * and some gateways continue a stream after its client has disconnected.
   */
  readonly needsNewProcess: boolean;
}

/** The names that `--cases` accepts. */
export type CaseName = "paced" | "paced-tools" | "plain" | "long" | "burst" | "single";

const PACED = { clients: 500, rampMs: 2_000, settleMs: 1_000, measureMs: 4_000, needsNewProcess: true };
const REPEATED = { rampMs: 0, settleMs: 500, measureMs: 2_500, needsNewProcess: false };

/** All cases, in the order in which they run. */
export const CASES: readonly Case[] = [
  { name: "paced", body: BODIES.paced, ...PACED },
  { name: "paced-tools", body: BODIES.pacedWithTools, ...PACED },
  { name: "plain", body: BODIES.plain, clients: 64, ...REPEATED },
  { name: "long", body: BODIES.long, clients: 64, ...REPEATED },
  { name: "burst", body: BODIES.burst, clients: 16, ...REPEATED },
  { name: "single", body: BODIES.fewEvents, clients: 1, ...REPEATED, settleMs: 300, measureMs: 1_500 },
];

/** Loads that each process runs before its first case, so that V8 has compiled most of its code. */
export const WARM_UP: readonly Load[] = [
  { body: BODIES.plain, clients: 16, rampMs: 0, settleMs: 0, measureMs: 1_500 },
  { body: BODIES.burst, clients: 4, rampMs: 0, settleMs: 0, measureMs: 1_500 },
];

/** A bound for the ratio of Postel's figure to the same figure of another contender. */
export interface Goal {
  readonly reference: "bare" | "portkey";
  /** The least ratio that meets the goal if more is better, otherwise the greatest. */
  readonly ratio: number;
}

/** A row of the result table. */
export interface Figure {
  /** What is measured, with its unit. */
  readonly label: string;
  readonly caseName: CaseName;
  readonly moreIsBetter: boolean;
  /** Computes the figure; NaN or infinite if the report has no answers or events. */
  compute(report: LoadReport): number;
  readonly goals?: readonly Goal[];
}

/** All figures with all goals. `docs/internals/performance.md` lists the same goals. */
export const FIGURES: readonly Figure[] = [
  {
    label: "plain, 64 clients: requests/s",
    caseName: "plain",
    moreIsBetter: true,
    compute: computeRequestRate,
    goals: [
      { reference: "bare", ratio: 0.3 },
      { reference: "portkey", ratio: 3.5 },
    ],
  },
  { label: "plain: CPU per request, µs", caseName: "plain", moreIsBetter: false, compute: computeCpuPerRequest },
  {
    label: "10.7 KB request: requests/s",
    caseName: "long",
    moreIsBetter: true,
    compute: computeRequestRate,
    goals: [
      { reference: "bare", ratio: 0.2 },
      { reference: "portkey", ratio: 2.5 },
    ],
  },
  {
    label: "10.7 KB request: CPU per request, µs",
    caseName: "long",
    moreIsBetter: false,
    compute: computeCpuPerRequest,
  },
  {
    label: "one client: first event, median, µs",
    caseName: "single",
    moreIsBetter: false,
    compute: (report) => report.firstEventUs,
    goals: [{ reference: "bare", ratio: 3.5 }],
  },
  {
    label: "burst, 16 × 200 events: events/s",
    caseName: "burst",
    moreIsBetter: true,
    compute: computeEventRate,
    goals: [{ reference: "bare", ratio: 0.3 }],
  },
  { label: "burst: CPU per event, µs", caseName: "burst", moreIsBetter: false, compute: computeCpuPerEvent },
  {
    label: "paced, 500 × 20/s: CPU per event, µs",
    caseName: "paced",
    moreIsBetter: false,
    compute: computeCpuPerEvent,
    goals: [{ reference: "bare", ratio: 1.6 }],
  },
  {
    label: "paced, ten tools: CPU per event, µs",
    caseName: "paced-tools",
    moreIsBetter: false,
    compute: computeCpuPerEvent,
  },
  { label: "paced: memory per stream, KB", caseName: "paced", moreIsBetter: false, compute: computeKilobytesPerStream },
];

/** Returns the load of `load` with all its times multiplied by `factor`. */
export function scaleLoad({ body, clients, rampMs, settleMs, measureMs }: Load, factor: number): Load {
  return { body, clients, rampMs: rampMs * factor, settleMs: settleMs * factor, measureMs: measureMs * factor };
}

function computeRequestRate({ answers, seconds }: LoadReport): number {
  return answers / seconds;
}

function computeEventRate({ events, seconds }: LoadReport): number {
  return events / seconds;
}

function computeCpuPerRequest({ cpuUs, answers }: LoadReport): number {
  return cpuUs / answers;
}

/** Returns the CPU time per event in microseconds. */
export function computeCpuPerEvent({ cpuUs, events }: LoadReport): number {
  return cpuUs / events;
}

function computeKilobytesPerStream({ bytesPerClient }: LoadReport): number {
  return bytesPerClient / 1024;
}
