// Kills the processes of runs at random, by hand: `npm run test:kills -- RUNS SEED`. Prints the seed, so that the same runs can be had again.
import { randomInt } from "node:crypto";
import { carryOut, drawPlans } from "../support/runs/killPlans.ts";

const AT_ONCE = 6;

const [runs = "500", seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
const plans = drawPlans(Number(seed), Number(runs));
process.stdout.write(`seed ${seed}: ${plans.length} runs, ${AT_ONCE} at once\n`);
let done = 0;
const report = await carryOut(plans, AT_ONCE, () => {
  done += 1;
  if (done % 50 === 0) process.stdout.write(`${done} runs\n`);
});
for (const [what, faults] of Object.entries({ lost: report.lost, doubled: report.doubled, unsound: report.unsound }))
  for (const fault of faults) process.stdout.write(`${what}: ${fault}\n`);
for (const [boundary, times] of report.landed) process.stdout.write(`killed at ${boundary}: ${times}\n`);
const { lost, doubled, unsound } = report;
process.stdout.write(
  `seed ${seed}: ${report.runs} runs, ${report.kills} kills, ${lost.length} lost, ${doubled.length} doubled, ${unsound.length} with an unsound audit\n`,
);
process.exitCode = lost.length + doubled.length + unsound.length > 0 ? 1 : 0;
