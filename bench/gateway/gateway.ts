// Compares Postel with a bare proxy under the same load on this machine, and judges the goals of `cases.ts`.
// Usage: npm run bench:gateway -- [--quick] [--rounds N] [--cases NAME,NAME] [--before=DIR]
//   --quick     one short round without the case `paced-tools`
//   --rounds N  number of rounds, 5 by default
//   --cases     the cases to measure, all by default
//   --before    another checkout of Postel to compare with; the number of rounds is then even,
//               so that each contender runs equally often in each of the two orders
// PORTKEY=DIR adds Portkey's gateway, if `@portkey-ai/gateway` is installed in DIR.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CASES, type Case, type Load, scaleLoad, WARM_UP } from "./cases.ts";
import {
  BARE_PROXY,
  type Contender,
  createPostel,
  findPortkey,
  type RunningGateway,
  startGateway,
} from "./contenders.ts";
import type { LoadReport } from "./loadGenerator.ts";
import { type CaseResult, printResults } from "./printResults.ts";
import { CAN_PIN_CORES } from "./processes.ts";
import { TestBed } from "./TestBed.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    cases: { type: "string" },
    before: { type: "string" },
  },
});

/** Factors for all times of the cases and of the warm-up. */
const CASE_FACTOR = options.quick ? 0.3 : 1;
const WARM_UP_FACTOR = options.quick ? 0.5 : 1;
/** Pause between two jobs, in which the gateway finishes its work for the first. Milliseconds. */
const PAUSE_MS = 200;

const cases = selectCases();
const rounds = readRounds();
const testBed = await TestBed.start();
const running: RunningGateway[] = [];
try {
  process.exitCode = (await runRounds()) ? 0 : 1;
} finally {
  await Promise.all([stopGateways(), testBed.stop()]);
}

/** Measures all rounds and prints the results. Returns true if every judged goal is met. */
async function runRounds(): Promise<boolean> {
  if (!CAN_PIN_CORES)
    console.log("taskset or a second core is missing: gateways and load share cores, so the ratios are less accurate.");
  const contenders = listContenders();
  const results: CaseResult[] = [];
  for (let round = 0; round < rounds; round += 1) {
    console.error(`round ${round + 1} of ${rounds}`);
    results.push(...(await runRound(round % 2 === 0 ? contenders : contenders.toReversed())));
  }
  const names = contenders.map(({ name }) => name);
  return printResults(names, results);
}

function selectCases(): readonly Case[] {
  if (options.cases === undefined) return CASES.filter(({ name }) => !options.quick || name !== "paced-tools");
  const names = options.cases.split(",");
  const known: readonly string[] = CASES.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`--cases: unknown case ${unknown.join(", ")}. Cases: ${known.join(", ")}.`);
  return CASES.filter(({ name }) => names.includes(name));
}

/** Returns the number of rounds, which is even with `--before`. */
function readRounds(): number {
  const count = Number(options.rounds ?? (options.quick ? 1 : 5));
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`--rounds: "${options.rounds}" is not a whole number from 1.`);
  return options.before !== undefined && count % 2 === 1 ? count + 1 : count;
}

function listContenders(): readonly Contender[] {
  const portkey = findPortkey(process.env.PORTKEY ?? ".");
  if (!portkey)
    console.log(
      "Portkey is not measured and its goals are not judged: set PORTKEY to a folder in which @portkey-ai/gateway is installed.",
    );
  const before = options.before === undefined ? [] : [createPostel("before", options.before)];
  return [BARE_PROXY, createPostel("postel"), ...before, ...(portkey ? [portkey] : [])];
}

/** Measures each case with every contender before the next case. */
async function runRound(contenders: readonly Contender[]): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const benchCase of cases.filter(({ needsNewProcess }) => needsNewProcess)) {
    const reports = new Map<string, LoadReport>();
    for (const contender of contenders) {
      reports.set(contender.name, await runLoad(await startWarmGateway(contender), scaleLoad(benchCase, CASE_FACTOR)));
      await stopGateways();
    }
    results.push({ caseName: benchCase.name, reports });
  }
  const sharedCases = cases.filter(({ needsNewProcess }) => !needsNewProcess);
  if (sharedCases.length > 0) for (const contender of contenders) await startWarmGateway(contender);
  for (const benchCase of sharedCases) {
    const reports = new Map<string, LoadReport>();
    for (const gateway of running) reports.set(gateway.name, await runLoad(gateway, scaleLoad(benchCase, CASE_FACTOR)));
    results.push({ caseName: benchCase.name, reports });
  }
  await stopGateways();
  return results;
}

async function startWarmGateway(contender: Contender): Promise<RunningGateway> {
  const gateway = await startGateway(contender, testBed.upstreamOrigin);
  running.push(gateway);
  for (const load of WARM_UP) await runLoad(gateway, scaleLoad(load, WARM_UP_FACTOR));
  return gateway;
}

async function stopGateways(): Promise<void> {
  for (const gateway of running.splice(0)) await gateway.stop();
}

async function runLoad({ port, pid, headers }: RunningGateway, load: Load): Promise<LoadReport> {
  const report = await testBed.runJob({ ...load, port, headers, pids: [pid] });
  await sleep(PAUSE_MS);
  return report;
}
