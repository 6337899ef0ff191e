// Plans of runs whose processes are killed, one to three times each: drawn from a seed or listed, carried out side by side, and judged.
import { toFailure } from "../../../src/core/failures.ts";
import { BOUNDARIES, type Boundary, KillWorld, type Life, TOOL_CLASSES, WAITING_BOUNDARIES } from "./KillWorld.ts";

type ToolClass = (typeof TOOL_CLASSES)[number];

export interface KillPlan {
  readonly tool: ToolClass;
  /** Where the first process is killed, then the next ones. */
  readonly kills: readonly [Boundary, ...Boundary[]];
}

export interface KillReport {
  /** A sentence for each run that went wrong. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Runs whose record or audit is not what it should be. */
  readonly unsound: readonly string[];
  readonly runs: number;
  readonly kills: number;
  /** How often which boundary killed a process. */
  readonly landed: ReadonlyMap<string, number>;
}

/** What is done once only whatever happens; of these a person is asked where the outcome is not known. */
const ONCE: ReadonlySet<ToolClass> = new Set(["plain", "gated"]);

/** The boundaries of a run with a tool of that class, in the order of its life. */
function boundariesFor(tool: ToolClass): readonly Boundary[] {
  return tool === "gated" ? [...BOUNDARIES, ...WAITING_BOUNDARIES] : BOUNDARIES;
}

/** For each class of tool and each boundary: a first kill there, then a second and a third at the boundaries that follow. */
export function sweepPlans(): readonly KillPlan[] {
  return TOOL_CLASSES.flatMap((tool) => {
    const all = boundariesFor(tool);
    return all.map((first, at): KillPlan => ({ tool, kills: [first, ...all.slice(at + 1, at + 3)] }));
  });
}

/** The same plans for the same seed. */
export function drawPlans(seed: number, count: number): readonly KillPlan[] {
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  return Array.from({ length: count }, () => {
    const tool = pick(TOOL_CLASSES);
    const all = boundariesFor(tool);
    const first = pick(all);
    // Behind the first the gateway goes on with the run: what follows is drawn from there, or a little before.
    const rest = all.slice(Math.max(1, all.indexOf(first) - 2));
    const more = Math.floor(random() * 3);
    return { tool, kills: [first, ...Array.from({ length: more }, () => pick(rest))] };
  });
}

/** Carries the plans out, `atOnce` side by side; tells `onDone` the report so far after each run. */
export async function carryOut(
  plans: readonly KillPlan[],
  atOnce: number,
  onDone: (report: KillReport) => void = () => undefined,
): Promise<KillReport> {
  const report = new Report();
  const left = [...plans];
  const work = async (): Promise<void> => {
    const world = await new KillWorld().open();
    try {
      for (let plan = left.shift(); plan; plan = left.shift()) {
        const { tool, kills } = plan;
        try {
          report.add(plan, await world.live(tool, ...kills));
        } catch (error) {
          report.broken(plan, toFailure(error).message);
        }
        onDone(report);
      }
    } finally {
      await world.close();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return report;
}

class Report implements KillReport {
  readonly lost: string[] = [];
  readonly doubled: string[] = [];
  readonly unsound: string[] = [];
  readonly landed = new Map<string, number>();
  runs = 0;
  kills = 0;

  broken(plan: KillPlan, why: string): void {
    this.runs += 1;
    this.unsound.push(`${nameOf(plan)}: ${why}`);
  }

  add(plan: KillPlan, life: Life): void {
    const name = nameOf(plan);
    this.runs += 1;
    this.kills += life.kills;
    for (const boundary of plan.kills.slice(0, life.kills))
      this.landed.set(boundary, (this.landed.get(boundary) ?? 0) + 1);
    const { record, effects, calls, told, acknowledged, asked } = life;
    const begun = told.filter((said) => said.startsWith(`${plan.tool} begins`)).length;
    if (begun < calls) this.unsound.push(`${name}: ${calls} calls, and ${begun} in the audit`);
    if (effects > 1 || (ONCE.has(plan.tool) && calls > 1)) this.doubled.push(`${name}: ${effects} of ${calls} calls`);
    // A run that was never acknowledged may be gone, or have no state.
    if (!acknowledged && record?.status !== "ended") return;
    if (record?.status !== "ended" || record.outcome !== "answered")
      this.lost.push(`${name}: the run is ${record?.status ?? "gone"} (${record?.outcome ?? "no outcome"})`);
    const isAsked = asked.some(({ type }) => type === "unknown-outcome");
    const isDone = plan.tool === "read" ? calls > 0 : effects > 0;
    if (!isDone && !(isAsked && ONCE.has(plan.tool))) this.lost.push(`${name}: it was not done, and nobody was told`);
  }
}

function nameOf({ tool, kills }: KillPlan): string {
  return `${tool}, killed at: ${kills.join(" / ")}`;
}

/** Mulberry32: numbers from 0 to 1, the same ones for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
