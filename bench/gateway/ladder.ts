// `npm run bench:ladder`: CPU time of a plain request from the bare proxy, rung by rung, to Postel: what its libraries cost, and what is ours.
// All run by turns, so that what else the machine does meets each of them; `-- --requests=N`, `--before=DIR` puts another checkout beside.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CASES, jobOf } from "./cases.ts";
import { BARE, type Contender, end, listens, postel, type Running, start } from "./contenders.ts";
import type { Job, Report } from "./load.ts";
import { freePort, startNode } from "./processes.ts";
import { RUNGS } from "./rungNames.ts";

const { values } = parseArgs({
  options: { requests: { type: "string", default: "40000" }, before: { type: "string" } },
});
const most = Number(values.requests);

/** Requests after which a band begins: V8 compiles what comes often. */
const BANDS = [0, 1_000, 5_000, 20_000].filter((from) => from < most);
/** Milliseconds of one turn. */
const SLICE_MS = 250;
/** Before it is counted: what the callers before have left unfinished is ended. */
const SETTLE_MS = 50;

/** What one contender has cost so far. */
interface Climber {
  readonly gateway: Running;
  served: number;
  readonly bands: { requests: number; cpuUs: number }[];
}

const upstreamPort = await freePort();
const origin = `http://127.0.0.1:${upstreamPort}`;
const upstream = startNode(1, [fileURLToPath(new URL("./mockUpstream.ts", import.meta.url)), String(upstreamPort)], {
  stdio: "inherit",
});
const load = startNode(1, [fileURLToPath(new URL("./load.ts", import.meta.url))], {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
const climbers: Climber[] = [];
try {
  if (!(await listens(upstreamPort))) throw new Error("The mock upstream does not start.");
  const before = values.before === undefined ? [] : [postel("Postel before", values.before)];
  for (const one of [BARE, ...RUNGS.map(rung), ...before, postel("Postel")]) {
    const gateway = await start(one, origin);
    climbers.push({ gateway, served: 0, bands: BANDS.map(() => ({ requests: 0, cpuUs: 0 })) });
  }
  for (let left = climbers; left.length > 0; left = left.filter(({ served }) => served < most).toReversed())
    for (const climber of left) await climb(climber);
  tell();
} finally {
  await Promise.all([...climbers.map(({ gateway }) => gateway.stop()), end(upstream), end(load)]);
}

function rung(name: string): Contender {
  return {
    ...BARE,
    name: `+ ${name}`,
    args: (port, to) => [fileURLToPath(new URL("./rungs.ts", import.meta.url)), String(port), to, name],
  };
}

async function climb(climber: Climber): Promise<void> {
  const { port, pid, headers } = climber.gateway;
  const plain = CASES.find(({ name }) => name === "plain");
  if (!plain) throw new Error("There is no plain case.");
  const job: Job = { ...jobOf(plain, 1), settleMs: SETTLE_MS, countMs: SLICE_MS, port, headers, pids: [pid] };
  const done = once(load, "message");
  load.send(job);
  const [{ answers, cpuUs }] = (await done) as [Report];
  const band = climber.bands[BANDS.findLastIndex((from) => from <= climber.served)];
  if (band) {
    band.requests += answers;
    band.cpuUs += cpuUs;
  }
  climber.served += answers;
}

function tell(): void {
  console.log(`| µs of CPU a plain request, after | ${BANDS.join(" | ")} |`);
  console.log(`|---|${BANDS.map(() => "---|").join("")}`);
  for (const { gateway, bands } of climbers) {
    const cells = bands.map(({ requests, cpuUs }) => (requests > 0 ? Math.round(cpuUs / requests) : "-"));
    console.log(`| ${gateway.name} | ${cells.join(" | ")} |`);
  }
}
