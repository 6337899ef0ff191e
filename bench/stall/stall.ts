// Runs the gateway against hostile upstreams and clients. For each input it prints the longest slice of the event loop,
// the longest wait for `/health`, the memory, and whether the goals are met.
// Usage: npm run stall -- [WORD ...] [--profile] [--together [--seconds N]]
//   WORD        measures only the inputs whose names contain all words
//   --profile   prints the functions in which the longest slice was spent
//   --together  runs the combined attack of `combinedAttack.ts`, for 60 s by default
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ATTACKS, type Attack, createRequestBody } from "./attacks.ts";
import { runCombinedAttack } from "./combinedAttack.ts";
import { listHotFunctions } from "./cpuProfile.ts";
import { GatewayProcess, type GatewayReport, STORE_FILE } from "./GatewayProcess.ts";
import { type Answer, HostileUpstream } from "./HostileUpstream.ts";
import { type AnswerEnd, sendRequest } from "./sendRequest.ts";

/** Goals on an idle machine: CPU time of the longest slice, and the longest wait for `/health`. Milliseconds. */
const MAX_SLICE_MS = 50;
const MAX_WAIT_MS = 150;
const REQUEST_TIMEOUT_MS = 120_000;
/** Number of measurements after which an input misses its goals, and the pause between two of them. */
const MAX_TRIES = 4;
const PAUSE_MS = 1_000;
/** Time after an answer in which the gateway's work still counts for the input. Milliseconds. */
const AFTER_ANSWER_MS = 300;
const LOCK_MS = 5_000;
const WARM_UP_REQUESTS = 30;
const DEFAULT_PATH = "/v1/chat/completions";

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: "boolean", default: false },
    together: { type: "boolean", default: false },
    seconds: { type: "string", default: "60" },
  },
});

/** The answer and the page of the current input. They are large, so there is one of each at a time. */
const answers = new Map<string, Answer>();
const pages = new Map<string, Buffer>();
const folder = mkdtempSync(join(tmpdir(), "postel-stall-"));
try {
  process.exitCode = (await (options.together ? measureCombinedAttack() : measureAttacks())) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Returns true if the gateway meets all goals of the combined attack. */
async function measureCombinedAttack(): Promise<boolean> {
  const profile = options.profile ? join(folder, "together.cpuprofile") : undefined;
  const seconds = Number(options.seconds);
  const misses = await runCombinedAttack({ seconds, folder, profile, print: console.log });
  for (const miss of misses) console.log(`MISS  ${miss}`);
  return misses.length === 0;
}

/** Returns true if all selected inputs meet their goals. */
async function measureAttacks(): Promise<boolean> {
  const selected = ATTACKS.map((attack, i) => ({ attack, model: `attack-${i}` })).filter(({ attack }) =>
    words.every((word) => attack.name.includes(word)),
  );
  const upstream = await HostileUpstream.start(answers, pages);
  let gateway = await startWarmGateway(upstream);
  let missed = 0;
  try {
    console.log("slice ms    GC ms  wait ms  CPU s  RSS MB");
    await measureAttack({ gateway, attack: { name: "a plain request" }, model: "plain" });
    for (const { attack, model } of selected) {
      if (!(await measureUntilMet({ gateway, attack, model }))) missed += 1;
      if (gateway.isRunning) continue;
      await gateway.stop();
      gateway = await startWarmGateway(upstream);
    }
  } finally {
    await gateway.stop();
    await upstream.close();
  }
  const goals = `${MAX_SLICE_MS} ms CPU time per slice, ${MAX_WAIT_MS} ms for /health (on an idle machine)`;
  console.log(`${missed} of ${selected.length} inputs miss a goal: ${goals}`);
  return missed === 0;
}

/** Starts a gateway and sends it plain requests, so that V8 has compiled most of its code. */
async function startWarmGateway(upstream: HostileUpstream): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(upstream.baseUrl, folder);
  for (let i = 0; i < WARM_UP_REQUESTS; i += 1) {
    const body = createRequestBody({ name: "", createBody: () => ({ stream: i % 2 === 0 }) }, "plain");
    await sendRequest({ port: gateway.port, path: DEFAULT_PATH, body, timeoutMs: REQUEST_TIMEOUT_MS });
  }
  return gateway;
}

interface Measurement {
  readonly gateway: GatewayProcess;
  readonly attack: Attack;
  readonly model: string;
}

/** Repeats a measurement that misses a goal, because other work of the machine can only increase the figures. */
async function measureUntilMet(measurement: Measurement): Promise<boolean> {
  let isMet = await measureAttack(measurement);
  for (let tries = 1; tries < MAX_TRIES && !isMet && measurement.gateway.isRunning; tries += 1) {
    await sleep(PAUSE_MS);
    isMet = await measureAttack(measurement);
  }
  return isMet;
}

/** Sends the attack and prints its figures. Returns true if they meet the goals. */
async function measureAttack({ gateway, attack, model }: Measurement): Promise<boolean> {
  const { path = DEFAULT_PATH, headers } = attack;
  const body = createRequestBody(attack, model);
  answers.clear();
  if (attack.createAnswer) answers.set(model, attack.createAnswer());
  pages.clear();
  if (attack.createPage) pages.set(model, attack.createPage());
  const profile = options.profile ? join(folder, `${model}.cpuprofile`) : undefined;
  await gateway.reset(profile);
  const lock = attack.locksStore && holdStoreLock(join(folder, STORE_FILE));
  const answerEnd = await sendRequest({ port: gateway.port, path, headers, body, timeoutMs: REQUEST_TIMEOUT_MS });
  await lock;
  await sleep(AFTER_ANSWER_MS);
  const report = await gateway.report();
  const isMet = printMeasurement(attack, answerEnd, report);
  const longest = report?.slices[0];
  if (profile && longest && longest.cpuMs > MAX_SLICE_MS / 2)
    for (const line of listHotFunctions(profile, longest)) console.log(`          ${line}`);
  return isMet;
}

/** Holds the write lock of the store's file for 5 s, as another process with a long transaction does. */
async function holdStoreLock(file: string): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec("begin immediate");
  await sleep(LOCK_MS);
  database.exec("rollback");
  database.close();
}

/** Prints one row. Returns true if the figures meet the goals. */
function printMeasurement({ name }: Attack, answerEnd: AnswerEnd, report: GatewayReport | undefined): boolean {
  const { status, reason, cut, isWellFormed } = answerEnd;
  const outcome = [status, reason, cut, isWellFormed ? "" : "malformed"].filter(Boolean).join(" ");
  if (!report) {
    console.log(`MISS  the gateway exited: ${name} → ${outcome}`);
    return false;
  }
  const { cpuMs = 0, gcMs = 0 } = report.slices[0] ?? {};
  const { longestMs, failures } = report.health;
  const times = [cpuMs, gcMs, longestMs].map((ms) => ms.toFixed(0).padStart(8));
  const seconds = (report.cpuMs / 1000).toFixed(1).padStart(6);
  const megabytes = (report.peakRss / 1024 / 1024).toFixed(0).padStart(7);
  const isMet = cpuMs <= MAX_SLICE_MS && longestMs <= MAX_WAIT_MS && failures === 0 && isWellFormed && !cut;
  console.log(`${times.join(" ")} ${seconds} ${megabytes}  ${isMet ? "pass" : "MISS"}  ${name} → ${outcome}`);
  return isMet;
}
