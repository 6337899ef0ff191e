// `npm run bench:gateway`: Postel beside a bare proxy on the same work, all on this machine; every figure as a ratio.
// `-- --quick` takes about 30 s; `--rounds N`; `--before=DIR` puts another checkout beside; PORTKEY=DIR says where `@portkey-ai/gateway` is installed.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CASES, type Case, jobOf, WARM_UP } from "./cases.ts";
import { BARE, type Contender, end, listens, portkey, postel, type Running, start } from "./contenders.ts";
import type { Job, Report } from "./load.ts";
import { freePort, PINS, startNode } from "./processes.ts";
import { type Measured, tell } from "./table.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    before: { type: "string" },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const haste = values.quick ? 0.5 : 1;

/** Between two cases, so that one's end is not the other's beginning. Milliseconds. */
const PAUSE_MS = 200;
/** The upstream's and the callers' core; gateways run on core 0. */
const OTHER_CORE = 1;

const upstreamPort = await freePort();
const upstream = startNode(
  OTHER_CORE,
  [fileURLToPath(new URL("./mockUpstream.ts", import.meta.url)), String(upstreamPort)],
  { stdio: "inherit" },
);
const load = startNode(OTHER_CORE, [fileURLToPath(new URL("./load.ts", import.meta.url))], {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
const running: Running[] = [];
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await Promise.all([stopAll(), end(upstream), end(load)]);
}

/** Whether every goal is met. */
async function run(): Promise<boolean> {
  if (!(await listens(upstreamPort))) throw new Error("The mock upstream does not start.");
  if (!PINS) console.log("Nothing is pinned: the gateways share their cores with the load, so the figures say less.");
  const contenders = chosen();
  const measured: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (rounds > 1) console.error(`round ${round + 1} of ${rounds}`);
    await oneRound(round % 2 === 0 ? contenders : contenders.toReversed(), measured);
  }
  return tell(
    contenders.map(({ name }) => name),
    measured,
  );
}

function chosen(): readonly Contender[] {
  const peer = portkey(process.env.PORTKEY ?? ".");
  if (!peer)
    console.log("Portkey's gateway is not measured: PORTKEY names no folder with an installed @portkey-ai/gateway.");
  const before = values.before === undefined ? [] : [postel("before", values.before)];
  return [BARE, postel("postel"), ...before, ...(peer ? [peer] : [])];
}

/** Each case by each gateway before the next case. */
async function oneRound(contenders: readonly Contender[], measured: Measured[]): Promise<void> {
  for (const one of CASES.filter(({ fresh }) => fresh)) {
    const reports = new Map<string, Report>();
    for (const contender of contenders) {
      const gateway = await startWarm(contender);
      reports.set(contender.name, await measure(gateway, one));
      await stopAll();
    }
    measured.push({ of: one.name, reports });
  }
  for (const contender of contenders) await startWarm(contender);
  for (const one of CASES.filter(({ fresh }) => !fresh)) {
    const reports = new Map<string, Report>();
    for (const gateway of running) reports.set(gateway.name, await measure(gateway, one));
    measured.push({ of: one.name, reports });
  }
  await stopAll();
}

async function startWarm(contender: Contender): Promise<Running> {
  const gateway = await start(contender, `http://127.0.0.1:${upstreamPort}`);
  running.push(gateway);
  for (const one of WARM_UP) await measure(gateway, one);
  return gateway;
}

async function stopAll(): Promise<void> {
  for (const { stop } of running.splice(0)) await stop();
}

async function measure({ port, pid, headers }: Running, one: Case): Promise<Report> {
  const job: Job = { ...jobOf(one, haste), port, headers, pids: [pid] };
  const done = once(load, "message");
  load.send(job);
  const [report] = (await done) as [Report];
  await sleep(PAUSE_MS);
  return report;
}
