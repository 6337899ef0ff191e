// `npm run stall`: the real gateway before hostile upstreams and callers; for each input the longest slice of the event loop, how long `/health` waited, and memory.
// `-- WORDS` takes the inputs whose names hold them; `-- --profile` says which functions the longest slice was spent in; `-- --together` is the combined attack.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ask, type Ending } from "./ask.ts";
import { ATTACKS, type Attack, bodyOf } from "./attacks.ts";
import { GatewayProcess, type Measured } from "./GatewayProcess.ts";
import { type Answer, HostileUpstream } from "./HostileUpstream.ts";
import { hotspots } from "./hotspots.ts";

/** Goals, on a machine that does nothing else. Milliseconds of CPU time, and of waiting. */
const SLICE_MS = 50;
const WAIT_MS = 150;
const RSS_MB = 512;
const PATIENCE_MS = 120_000;
/** Work that goes on behind an answer belongs to its input. */
const AFTERMATH_MS = 300;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: "boolean", default: false } },
});

const named = ATTACKS.map((attack, i) => ({ attack, model: `attack-${i}` }));
const chosen = named.filter(({ attack }) => positionals.every((word) => attack.name.includes(word)));
/** The answers of one input at a time: they are large. */
const answers = new Map<string, Answer>();
const upstream = await HostileUpstream.start(answers);
const folder = mkdtempSync(join(tmpdir(), "postel-stall-"));
let gateway = await GatewayProcess.start(upstream.baseUrl);
let missed = 0;
try {
  await warmUp();
  console.log(
    `${"slice ms".padStart(8)} ${"of it GC".padStart(9)} ${"wait ms".padStart(8)} ${"CPU s".padStart(6)} ${"RSS MB".padStart(7)}`,
  );
  await measure({ name: "nothing" }, "none", () => sleep(1_000));
  for (const { attack, model } of chosen) await measure(attack, model);
} finally {
  await gateway.stop();
  await upstream.close();
  rmSync(folder, { recursive: true });
}
console.log(
  `${missed} of ${chosen.length} inputs miss a goal: ${SLICE_MS} ms CPU a slice, ${WAIT_MS} ms for /health, ${RSS_MB} MB (on an idle machine)`,
);
process.exitCode = missed === 0 ? 0 : 1;

/** Plain traffic first: what is measured is the gateway, not its compilation. */
async function warmUp(): Promise<void> {
  for (let i = 0; i < 30; i += 1) {
    const body = bodyOf({ name: "", body: () => ({ stream: i % 2 === 0 }) }, "plain");
    await ask({ port: gateway.port, path: "/v1/chat/completions", body, patienceMs: PATIENCE_MS });
  }
}

async function measure(attack: Attack, model: string, act?: () => Promise<unknown>): Promise<void> {
  const { path = "/v1/chat/completions", headers } = attack;
  const body = bodyOf(attack, model);
  answers.clear();
  if (attack.answer) answers.set(model, attack.answer());
  const profile = values.profile ? join(folder, `${model}.cpuprofile`) : undefined;
  await gateway.reset(profile);
  const ending = act ? undefined : await ask({ port: gateway.port, path, headers, body, patienceMs: PATIENCE_MS });
  await act?.();
  await sleep(AFTERMATH_MS);
  const measured = await gateway.report();
  if (!tell(attack, ending, measured)) missed += 1;
  const worst = measured?.slices[0];
  if (profile && worst && worst.cpuMs > SLICE_MS / 2)
    for (const line of hotspots(profile, worst.from, worst.to)) console.log(`${"".padStart(20)}${line}`);
  if (measured) return;
  await gateway.stop();
  gateway = await GatewayProcess.start(upstream.baseUrl);
  await warmUp();
}

/** Whether every goal is met. */
function tell({ name }: Attack, ending: Ending | undefined, measured: Measured | undefined): boolean {
  const said = ending
    ? [ending.status, ending.said, ending.cut, ending.typed ? "" : "untyped"].filter(Boolean).join(" ")
    : "";
  if (!measured) {
    console.log(`MISS  the gateway died: ${name} → ${said}`);
    return false;
  }
  const { cpuMs = 0, gcMs = 0 } = measured.slices[0] ?? {};
  const megabytes = measured.peakRss / 1024 / 1024;
  const { longestMs, failures } = measured.health;
  const met =
    cpuMs <= SLICE_MS &&
    longestMs <= WAIT_MS &&
    megabytes <= RSS_MB &&
    failures === 0 &&
    (!ending || (ending.typed && !ending.cut));
  const figures = [
    cpuMs.toFixed(0).padStart(8),
    gcMs.toFixed(0).padStart(9),
    longestMs.toFixed(0).padStart(8),
    (measured.cpuMs / 1000).toFixed(1).padStart(6),
    megabytes.toFixed(0).padStart(7),
  ];
  console.log(`${figures.join(" ")}  ${met ? "pass" : "MISS"}  ${name}${said && ` → ${said}`}`);
  return met;
}
