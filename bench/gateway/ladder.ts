// Measures the CPU time of a plain request for the bare proxy, for each rung of the ladder (`rungs.ts`) and for Postel.
// The servers take turns of 250 ms, so that other work of the machine affects all of them alike. Prints a Markdown table.
// Usage: npm run bench:ladder -- [--requests=N] [--before=DIR]
//   --requests  requests per server, 40,000 by default
//   --before    another checkout of Postel to compare with
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CASES, scaleLoad } from "./cases.ts";
import { BARE_PROXY, type Contender, createPostel, type RunningGateway, startGateway } from "./contenders.ts";
import { RUNGS } from "./rungNames.ts";
import { TestBed } from "./TestBed.ts";

const { values: options } = parseArgs({
  options: { requests: { type: "string", default: "40000" }, before: { type: "string" } },
});
const requestLimit = Number(options.requests);
if (!(requestLimit >= 1)) throw new Error(`--requests: "${options.requests}" is not a number from 1.`);

/** Numbers of served requests at which a column of the table begins. V8 compiles more code with each request. */
const COLUMN_STARTS = [0, 1_000, 5_000, 20_000].filter((start) => start < requestLimit);
/** Length of one turn. Milliseconds. */
const TURN_MS = 250;
/** Time before a turn is measured, in which the previous server finishes its work. Milliseconds. */
const SETTLE_MS = 50;

/** A server and what it has used so far. */
interface MeasuredServer {
  readonly gateway: RunningGateway;
  /** Requests that were answered in measured time. */
  served: number;
  /** Totals by column. CPU time is in microseconds. */
  readonly columns: { requests: number; cpuUs: number }[];
}

const plainCase = CASES.find(({ name }) => name === "plain");
if (!plainCase) throw new Error("cases.ts has no case named plain.");
const plainLoad = { ...scaleLoad(plainCase, 1), settleMs: SETTLE_MS, measureMs: TURN_MS };
const testBed = await TestBed.start();
const servers: MeasuredServer[] = [];
try {
  const before = options.before === undefined ? [] : [createPostel("Postel before", options.before)];
  for (const contender of [BARE_PROXY, ...RUNGS.map(createRung), ...before, createPostel("Postel")]) {
    const gateway = await startGateway(contender, testBed.upstreamOrigin);
    servers.push({ gateway, served: 0, columns: COLUMN_STARTS.map(() => ({ requests: 0, cpuUs: 0 })) });
  }
  let unfinished = servers;
  while (unfinished.length > 0) {
    for (const server of unfinished) await measureTurn(server);
    unfinished = unfinished.filter(({ served }) => served < requestLimit).toReversed();
  }
  printTable();
} finally {
  await Promise.all([...servers.map(({ gateway }) => gateway.stop()), testBed.stop()]);
}

function createRung(name: string): Contender {
  const program = fileURLToPath(new URL("./rungs.ts", import.meta.url));
  return { ...BARE_PROXY, name: `+ ${name}`, getArguments: (port, origin) => [program, String(port), origin, name] };
}

async function measureTurn(server: MeasuredServer): Promise<void> {
  const { port, pid, headers } = server.gateway;
  const { answers, cpuUs } = await testBed.runJob({ ...plainLoad, port, headers, pids: [pid] });
  const column = server.columns[COLUMN_STARTS.findLastIndex((start) => start <= server.served)];
  if (column) {
    column.requests += answers;
    column.cpuUs += cpuUs;
  }
  server.served += answers;
}

function printTable(): void {
  console.log(`| CPU per plain request in µs, after N requests | ${COLUMN_STARTS.join(" | ")} |`);
  console.log(`|---|${COLUMN_STARTS.map(() => "---|").join("")}`);
  for (const { gateway, columns } of servers) {
    const cells = columns.map(({ requests, cpuUs }) => (requests > 0 ? Math.round(cpuUs / requests) : "-"));
    console.log(`| ${gateway.name} | ${cells.join(" | ")} |`);
  }
}
