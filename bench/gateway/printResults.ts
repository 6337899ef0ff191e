// Prints the results of the benchmark: medians of the rounds, ratios between contenders, and the goals.
import { computeMedian } from "../median.ts";
import { type CaseName, computeCpuPerEvent, FIGURES, type Figure, type Goal } from "./cases.ts";
import type { LoadReport } from "./loadGenerator.ts";

/** The reports of one case in one round, by contender name. */
export interface CaseResult {
  readonly caseName: CaseName;
  readonly reports: ReadonlyMap<string, LoadReport>;
}

/** A figure of one contender in one round. */
interface FigureOfContender {
  readonly figure: Pick<Figure, "caseName" | "compute">;
  readonly contender: string;
}

const LABEL_WIDTH = 40;
const CELL_WIDTH = 20;

/** Prints all figures whose cases were measured. Returns true if every judged goal is met. */
export function printResults(contenders: readonly string[], results: readonly CaseResult[]): boolean {
  const figures = FIGURES.filter(({ caseName }) => results.some((result) => result.caseName === caseName));
  console.log(formatRow("median (× bare)", contenders));
  const verdicts = figures.flatMap((figure) => printFigure(figure, contenders, results));
  printToolsRatio(results);
  if (contenders.includes("before")) printRatiosToBefore(figures, results);
  printFaults(contenders, results);
  const missed = verdicts.filter((isMet) => !isMet).length;
  console.log(`${verdicts.length - missed} of ${verdicts.length} goals are met.`);
  return missed === 0;
}

/** Prints one row. Returns for each judged goal of the figure whether Postel meets it. */
function printFigure(
  figure: Figure,
  contenders: readonly string[],
  results: readonly CaseResult[],
): readonly boolean[] {
  const cells = contenders.map((contender) => {
    const value = formatNumber(computeMedian(listValues({ figure, contender }, results)));
    if (contender === "bare") return value;
    const ratio = computeMedian(listRatios({ figure, contender }, { figure, contender: "bare" }, results));
    return `${value} (${formatNumber(ratio)})`;
  });
  const judged = (figure.goals ?? []).filter(({ reference }) => contenders.includes(reference));
  const verdicts = judged.map((goal) => judgeGoal(figure, goal, results));
  console.log(`${formatRow(figure.label, cells)}${verdicts.map(({ text }) => `   ${text}`).join("")}`);
  return verdicts.map(({ isMet }) => isMet);
}

/** Compares the median ratio of Postel with the goal. Returns the verdict and its text for the table. */
function judgeGoal(figure: Figure, goal: Goal, results: readonly CaseResult[]) {
  const reference = { figure, contender: goal.reference };
  const ratio = computeMedian(listRatios({ figure, contender: "postel" }, reference, results));
  const isMet = figure.moreIsBetter ? ratio >= goal.ratio : ratio <= goal.ratio;
  const bound = `${figure.moreIsBetter ? "≥" : "≤"} ${goal.ratio} × ${goal.reference}`;
  return { isMet, text: `${isMet ? "pass" : "MISS"} ${formatNumber(ratio)} (goal ${bound})` };
}

/** Prints what ten offered tools cost Postel per paced event, if both cases were measured. */
function printToolsRatio(results: readonly CaseResult[]): void {
  const withTools: FigureOfContender = {
    figure: { caseName: "paced-tools", compute: computeCpuPerEvent },
    contender: "postel",
  };
  const withoutTools: FigureOfContender = {
    figure: { caseName: "paced", compute: computeCpuPerEvent },
    contender: "postel",
  };
  const ratios = listRatios(withTools, withoutTools, results);
  if (ratios.length === 0) return;
  console.log(formatRow("paced: CPU with ten tools ÷ without", ["", formatNumber(computeMedian(ratios))]));
}

/** Prints each figure of Postel divided by the same figure of the checkout that `--before` names. */
function printRatiosToBefore(figures: readonly Figure[], results: readonly CaseResult[]): void {
  console.log(`\n${formatRow("postel ÷ before, ratios of the rounds", ["median", "lowest", "highest"])}`);
  for (const figure of figures) {
    const ratios = listRatios({ figure, contender: "postel" }, { figure, contender: "before" }, results);
    const cells = [computeMedian(ratios), Math.min(...ratios), Math.max(...ratios)];
    console.log(formatRow(figure.label, cells.map(formatNumber)));
  }
  console.log("");
}

function printFaults(contenders: readonly string[], results: readonly CaseResult[]): void {
  for (const contender of contenders) {
    const faults = results.reduce((sum, { reports }) => sum + (reports.get(contender)?.faults ?? 0), 0);
    if (faults > 0) console.log(`${contender}: ${faults} answers had another status than 200 or were cut off`);
  }
}

/** Lists the ratio of two figures in each round that measured both. */
function listRatios(
  numerator: FigureOfContender,
  denominator: FigureOfContender,
  results: readonly CaseResult[],
): readonly number[] {
  const denominators = listValues(denominator, results);
  const numerators = listValues(numerator, results).slice(0, denominators.length);
  return numerators.map((value, round) => value / (denominators[round] ?? Number.NaN));
}

/** Lists a figure in the order of the rounds. */
function listValues({ figure, contender }: FigureOfContender, results: readonly CaseResult[]): readonly number[] {
  return results.flatMap(({ caseName, reports }) => {
    const report = caseName === figure.caseName ? reports.get(contender) : undefined;
    return report ? [figure.compute(report)] : [];
  });
}

function formatRow(label: string, cells: readonly string[]): string {
  return `${label.padEnd(LABEL_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join("")}`;
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
