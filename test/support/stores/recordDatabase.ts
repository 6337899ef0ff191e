// Records fixtures/databases/VERSION/store.db: `npm run record:database`. It is recorded once, at the commit of a release, and never again.
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { systemClock } from "../../../src/network/system.ts";
import { backupSqlite } from "../../../src/stores/sqlite/backupSqlite.ts";
import { createHttpServer, openServices } from "../gatewayModules.ts";
import { EffectServer } from "../runs/EffectServer.ts";
import { until } from "../runs/inTime.ts";
import { Points } from "../runs/Points.ts";
import { startWorkModel } from "../runs/WorkModel.ts";
import { readRecordedConfig } from "./readRecordedConfig.ts";

const HUNDRED_YEARS_MS = 100 * 365 * 86_400_000;

const target = resolve("fixtures/databases", packageJson.version, "store.db");
if (existsSync(target)) throw new Error(`${target} is recorded already.`);

const points = new Points();
const effects = new EffectServer(points);
const models = await startWorkModel(points);
const folder = mkdtempSync(join(tmpdir(), "postel-record-"));
const source = join(folder, "store.db");
const env = { MODELS: models.baseUrl, SERVICE: await effects.listen() };
const config = readRecordedConfig({ version: packageJson.version, folder, env });
// A person may still decide when the store is opened years later.
const limits = { ...config.limits, interruptMs: HUNDRED_YEARS_MS };
const testGateway = await openServices({ ...config, limits }, { observers: [] });
const server = createHttpServer({ ...testGateway, stopSignal: new AbortController().signal }).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function call<T>(path: string, body?: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, body ? { method: "POST", headers, body: JSON.stringify(body) } : {});
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** @returns the id of the run. */
async function ask(words: string, more: object = {}): Promise<string> {
  const asked = { model: "worker", messages: [{ role: "user", content: words }], ...more };
  return (await call<{ id: string }>("/v1/agent", asked)).id;
}

async function statusIs(id: string, status: string): Promise<void> {
  await until(async () => (await call<{ status: string }>(`/v1/agent/runs/${id}`)).status === status);
}

async function decide(run: string, decision: object): Promise<void> {
  const { interrupts } = await call<{ interrupts: readonly { id: string; plan?: string }[] }>(`/v1/agent/runs/${run}`);
  for (const { id, plan } of interrupts) await call(`/v1/agent/runs/${run}/interrupts/${id}`, { plan, ...decision });
}

await ask("read hours", { session_id: "opening" });
await ask("save_memory The shop opens at nine.", { session_id: "shop" });
const rated = await ask("keyed order-1", { background: true });
await statusIs(rated, "ended");
await call(`/v1/agent/runs/${rated}/feedback`, { rating: 1, comment: "right" });
for (const [decision, what] of [
  ["approve", "refund-1"],
  ["reject", "refund-2"],
] as const) {
  const decided = await ask(`gated ${what}`, { background: true });
  await statusIs(decided, "waiting");
  await decide(decided, { decision });
  await statusIs(decided, "ended");
}
await ask("gated refund-3", { session_id: "refund" });
await statusIs(await ask("gated refund-4", { background: true }), "waiting");
await statusIs(await ask("ask_user colour", { background: true }), "waiting");

// The copy is taken while one of two calls is under way: to whoever opens it, the process that held the run has died.
const reached = points.arm("tool called");
const held = await ask("plain payment-1", { background: true });
await reached;
await until(
  async () => (await testGateway.store.runs.look({ owner: "local", id: held }))?.calls.at(1)?.result !== undefined,
);
backupSqlite(source, target);
points.release();

server.closeAllConnections();
server.close();
await testGateway.close();
effects.close();
await models.close();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${target} is recorded at ${new Date(systemClock.now()).toISOString()}.\n`);
