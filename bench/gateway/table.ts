// What was measured as a table: medians, and ratios to the bare proxy of the same round. Knows no process.
import { type CaseName, FIGURES, type Figure, TOOLS_GOAL } from "./cases.ts";
import type { Report } from "./load.ts";

/** One case of one round, by the gateways' names. */
export interface Measured {
  readonly of: CaseName;
  readonly reports: ReadonlyMap<string, Report>;
}

const FIRST = 40;
const CELL = 18;

/** Prints the table; true where every goal is met. */
export function tell(names: readonly string[], measured: readonly Measured[]): boolean {
  console.log(`${"".padEnd(FIRST)}${names.map((name) => name.padStart(CELL)).join("")}   × bare, goal`);
  const met = FIGURES.map((figure) => tellFigure(figure, names, measured));
  const tools = toolsBesideNone(measured);
  met.push(tools <= TOOLS_GOAL);
  console.log(
    `${"paced: ten tools × none, postel's own".padEnd(FIRST)}${`× ${tools.toFixed(2)}`.padStart(CELL * 2)}   ${verdict(tools <= TOOLS_GOAL)} ≤ ${TOOLS_GOAL}`,
  );
  tellFaults(names, measured);
  const missed = met.filter((one) => !one).length;
  console.log(missed === 0 ? "every goal is met" : `${missed} goals are missed`);
  return missed === 0;
}

function tellFigure(figure: Figure, names: readonly string[], measured: readonly Measured[]): boolean {
  const { name, of, goal, moreIsBetter } = figure;
  const rounds = measured.filter((one) => one.of === of).map(({ reports }) => reports);
  const values = (who: string) => rounds.flatMap((reports) => numberOf(figure, reports.get(who)));
  const ratio = (who: string) => median(values(who).map((value, i) => value / (values("bare")[i] ?? Number.NaN)));
  const cells = names.map((who) => `${shown(median(values(who)))}${who === "bare" ? "" : ` × ${shown(ratio(who))}`}`);
  const ours = ratio("postel");
  const met = goal === undefined || (moreIsBetter ? ours >= goal : ours <= goal);
  const aim = goal === undefined ? "" : `   ${verdict(met)} ${moreIsBetter ? "≥" : "≤"} ${goal}`;
  console.log(`${name.padEnd(FIRST)}${cells.map((cell) => cell.padStart(CELL)).join("")}${aim}`);
  return met;
}

/** What answered no request has no figure. */
function numberOf({ value }: Figure, report: Report | undefined): readonly number[] {
  return report ? [value(report)] : [];
}

function toolsBesideNone(measured: readonly Measured[]): number {
  const cpu = (of: CaseName) =>
    measured.filter((one) => one.of === of).map(({ reports }) => cpuAnEvent(reports.get("postel")));
  const without = cpu("paced");
  return median(cpu("tools").map((value, i) => value / (without[i] ?? Number.NaN)));
}

function cpuAnEvent(report: Report | undefined): number {
  return report ? report.cpuUs / report.events : Number.NaN;
}

function tellFaults(names: readonly string[], measured: readonly Measured[]): void {
  for (const name of names) {
    const faults = measured.reduce((sum, { reports }) => sum + (reports.get(name)?.faults ?? 0), 0);
    if (faults > 0) console.log(`${name}: ${faults} answers were refused or cut`);
  }
}

function verdict(met: boolean): string {
  return met ? "pass" : "MISS";
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(values.length - 1) >> 1], sorted[values.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
