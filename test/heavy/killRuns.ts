// Kills the processes of runs at random, by hand: `npm run test:kills -- RUNS SEED`. Prints the seed, so that the same runs can be had again.
import { randomInt } from "node:crypto";
import { carryOut, drawPlans, type KillReport } from "../support/runs/killPlans.ts";

const AT_ONCE = 6;

const [runs = "500", seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
const plans = drawPlans(Number(seed), Number(runs));
process.stdout.write(`seed ${seed}: ${plans.length} runs, ${AT_ONCE} at once\n`);
const report = await carryOut(plans, AT_ONCE, createProgressPrinter());
for (const [boundary, times] of report.landed) process.stdout.write(`killed at ${boundary}: ${times}\n`);
const { lost, doubled, unsound } = report;
process.stdout.write(
  `seed ${seed}: ${report.runs} runs, ${report.kills} kills, ${lost.length} lost, ${doubled.length} doubled, ${unsound.length} with an unsound audit\n`,
);
process.exitCode = lost.length + doubled.length + unsound.length > 0 ? 1 : 0;

/** Prints each fault when it is found, and every fiftieth run, so that a stopped sweep has shown what it found. */
function createProgressPrinter(): (report: KillReport) => void {
  const printed = { lost: 0, doubled: 0, unsound: 0 };
  return (report) => {
    for (const kind of ["lost", "doubled", "unsound"] as const) {
      for (const fault of report[kind].slice(printed[kind])) process.stdout.write(`${kind}: ${fault}\n`);
      printed[kind] = report[kind].length;
    }
    if (report.runs % 50 === 0) process.stdout.write(`${report.runs} runs\n`);
  };
}
