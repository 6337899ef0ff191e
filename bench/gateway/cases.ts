// What is asked of every gateway, what is read off it, and how near to the bare proxy it has to come. Knows no gateway.
import type { Job, Report } from "./load.ts";
import { BODIES } from "./requestBodies.ts";

export interface Case {
  readonly name: CaseName;
  readonly body: string;
  readonly callers: number;
  readonly rampMs: number;
  readonly settleMs: number;
  readonly countMs: number;
  /** By a process that has done nothing else: its memory is read, and some gateways go on with streams whose callers have left. */
  readonly fresh: boolean;
}

export type CaseName = "plain" | "long" | "one" | "burst" | "paced" | "tools";

export const CASES: readonly Case[] = [
  { name: "paced", body: BODIES.paced, callers: 500, rampMs: 2_000, settleMs: 1_000, countMs: 4_000, fresh: true },
  {
    name: "tools",
    body: BODIES.pacedWithTools,
    callers: 500,
    rampMs: 2_000,
    settleMs: 1_000,
    countMs: 4_000,
    fresh: true,
  },
  { name: "plain", body: BODIES.plain, callers: 64, rampMs: 0, settleMs: 500, countMs: 2_500, fresh: false },
  { name: "long", body: BODIES.long, callers: 64, rampMs: 0, settleMs: 500, countMs: 2_500, fresh: false },
  { name: "burst", body: BODIES.burst, callers: 16, rampMs: 0, settleMs: 500, countMs: 2_500, fresh: false },
  { name: "one", body: BODIES.few, callers: 1, rampMs: 0, settleMs: 300, countMs: 1_500, fresh: false },
];

/** Before any case: what is measured is the gateway, not its compilation. */
export const WARM_UP: readonly Case[] = [
  { name: "plain", body: BODIES.plain, callers: 16, rampMs: 0, settleMs: 0, countMs: 1_500, fresh: false },
  { name: "burst", body: BODIES.burst, callers: 4, rampMs: 0, settleMs: 0, countMs: 1_500, fresh: false },
];

export interface Figure {
  readonly name: string;
  readonly of: CaseName;
  value(report: Report): number;
  /** Of Postel's figure to the bare proxy's: at least, where more is better, else at most. */
  readonly goal?: number;
  readonly moreIsBetter: boolean;
}

export const FIGURES: readonly Figure[] = [
  { name: "plain, 64 callers: requests/s", of: "plain", value: answersASecond, moreIsBetter: true, goal: 0.3 },
  { name: "plain: CPU a request, µs", of: "plain", value: cpuAnAnswer, moreIsBetter: false },
  { name: "10.7 KB request: requests/s", of: "long", value: answersASecond, moreIsBetter: true, goal: 0.2 },
  { name: "10.7 KB: CPU a request, µs", of: "long", value: cpuAnAnswer, moreIsBetter: false },
  { name: "one caller: first event, p50 µs", of: "one", value: firstEvent, moreIsBetter: false, goal: 2.5 },
  { name: "burst, 16 × 200: events/s", of: "burst", value: eventsASecond, moreIsBetter: true, goal: 0.3 },
  { name: "burst: CPU an event, µs", of: "burst", value: cpuAnEvent, moreIsBetter: false },
  { name: "paced, 500 × 20/s: CPU an event, µs", of: "paced", value: cpuAnEvent, moreIsBetter: false, goal: 1.6 },
  { name: "paced, ten tools: CPU an event, µs", of: "tools", value: cpuAnEvent, moreIsBetter: false },
  { name: "paced: memory a stream, KB", of: "paced", value: kilobytesACaller, moreIsBetter: false, goal: 2 },
];

/** Of Postel's own events with ten tools offered to those without, at most. */
export const TOOLS_GOAL = 1.25;

/** A case as a job of the callers; `haste` shortens it. */
export function jobOf(one: Case, haste: number): Pick<Job, "body" | "callers" | "rampMs" | "settleMs" | "countMs"> {
  const { body, callers, rampMs, settleMs, countMs } = one;
  return { body, callers, rampMs: rampMs * haste, settleMs: settleMs * haste, countMs: countMs * haste };
}

function answersASecond({ answers, seconds }: Report): number {
  return answers / seconds;
}

function eventsASecond({ events, seconds }: Report): number {
  return events / seconds;
}

function cpuAnAnswer({ cpuUs, answers }: Report): number {
  return cpuUs / answers;
}

function cpuAnEvent({ cpuUs, events }: Report): number {
  return cpuUs / events;
}

function firstEvent({ firstEventUs }: Report): number {
  return firstEventUs;
}

function kilobytesACaller({ bytesACaller }: Report): number {
  return bytesACaller / 1024;
}
