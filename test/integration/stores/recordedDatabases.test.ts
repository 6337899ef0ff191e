// Databases that released versions wrote: this version opens them, goes on with what waits in them, and finds their audit sound.

import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { recordIn } from "../../support/audit/recordIn.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import type { FakeUpstream } from "../../support/FakeUpstream.ts";
import { EffectServer } from "../../support/runs/EffectServer.ts";
import { until } from "../../support/runs/inTime.ts";
import { Points } from "../../support/runs/Points.ts";
import { startWorkModel } from "../../support/runs/WorkModel.ts";
import { type RunningGateway, startGateway } from "../../support/startGateway.ts";
import { readRecordedConfig } from "../../support/stores/readRecordedConfig.ts";

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly outcome?: string;
  readonly interrupts: readonly { readonly id: string; readonly type: string; readonly plan?: string }[];
}

interface Asked {
  readonly id: string;
  readonly run_id: string;
  readonly type: string;
  readonly arguments?: string;
  readonly plan?: string;
}

describe.each(readdirSync("fixtures/databases"))("the database of version %s", (version) => {
  let folder: string;
  let effects: EffectServer;
  let models: FakeUpstream;
  let env: { readonly MODELS: string; readonly SERVICE: string };
  let gateway: RunningGateway;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "postel-recorded-"));
    copyFileSync(resolve("fixtures/databases", version, "store.db"), join(folder, "store.db"));
    const points = new Points();
    effects = new EffectServer(points);
    models = await startWorkModel(points);
    env = { MODELS: models.baseUrl, SERVICE: await effects.listen() };
    const config = readRecordedConfig({ version, folder, env });
    gateway = await startGateway({ config, prepare: ({ runs }) => runs.startBackgroundRuns() });
  });
  afterEach(async () => {
    await gateway.close();
    await models.close();
    effects.close();
    rmSync(folder, { recursive: true });
  });

  async function call<T>(path: string, body?: object): Promise<T> {
    const headers = { "content-type": "application/json" };
    const post = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${gateway.url}${path}`, body ? post : {});
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }

  const list = async <T>(path: string) => (await call<{ data: readonly T[] }>(path)).data;

  async function ended(run: string): Promise<Shown> {
    let shown = await call<Shown>(`/v1/agent/runs/${run}`);
    await until(async () => {
      shown = await call<Shown>(`/v1/agent/runs/${run}`);
      return shown.status === "ended";
    });
    return shown;
  }

  /** The open interrupt whose call has this argument. */
  async function askedAbout(what: string): Promise<Asked> {
    const open = await list<Asked>("/v1/agent/interrupts");
    const found = open.find(({ arguments: text }) => text?.includes(what));
    if (!found) throw new Error(`Nothing waits for ${what}: ${JSON.stringify(open)}`);
    return found;
  }

  /** A plan of an older version counts no more: the interrupt stays open with one of this version, which is approved. */
  async function approve(what: string): Promise<string> {
    const old = await askedAbout(what);
    const path = `/v1/agent/runs/${old.run_id}/interrupts/${old.id}`;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ decision: "approve", plan: old.plan });
    const first = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body });
    expect({ status: first.status, effects: effects.effects(what) }).toEqual({ status: 409, effects: 0 });
    const { plan } = await askedAbout(what);
    await call(path, { decision: "approve", plan });
    return old.run_id;
  }

  it("shows its sessions, runs, events and memories", async () => {
    expect((await list<{ id: string }>("/v1/agent/sessions")).map(({ id }) => id).sort()).toEqual([
      ...["opening", "refund", "shop"],
    ]);
    expect(await call("/v1/agent/sessions/opening")).toMatchObject({ message_count: 2, messages: [{}, {}] });
    expect(await list("/v1/agent/runs")).toHaveLength(9);
    expect(await list("/v1/agent/memories")).toMatchObject([{ text: "The shop opens at nine." }]);
    const rated = (await list<Shown & { feedback?: object }>("/v1/agent/runs")).find(({ feedback }) => feedback);
    expect(rated).toMatchObject({ status: "ended", outcome: "answered", feedback: { rating: 1, comment: "right" } });
    const events = await fetch(`${gateway.url}/v1/agent/runs/${rated?.id}/events`);
    expect(await events.text()).toContain("order-1");
  });

  it("runs a call that a person approves, once", async () => {
    const run = await approve("refund-4");
    expect(await ended(run)).toMatchObject({ outcome: "answered" });
    expect(effects.effects("refund-4")).toBe(1);
    const told = recordIn(join(folder, "store.db"), run);
    expect(told.filter((sentence) => sentence.startsWith("gated begins"))).toHaveLength(1);
  });

  it("goes on with a session that waits", async () => {
    const run = await approve("refund-3");
    await call(`/v1/agent/runs/${run}/resume`, { stream: false });
    expect(effects.effects("refund-3")).toBe(1);
    await call("/v1/agent", {
      ...{ model: "worker", session_id: "refund" },
      messages: [{ role: "user", content: "keyed more" }],
    });
    expect(await call("/v1/agent/sessions/refund")).toMatchObject({ message_count: 4 });
  });

  it("takes the answer to a question", async () => {
    const asked = (await list<Asked>("/v1/agent/interrupts")).find(({ type }) => type === "clarify");
    await call(`/v1/agent/runs/${asked?.run_id}/interrupts/${asked?.id}`, { decision: "answer", response: "this" });
    expect(await ended(asked?.run_id ?? "")).toMatchObject({ outcome: "answered" });
  });

  it("asks what became of a call whose process died", async () => {
    await until(async () => (await list<Asked>("/v1/agent/interrupts")).some(({ type }) => type === "unknown-outcome"));
    const { run_id: run, id, type, plan } = await askedAbout("payment-1");
    expect({ type, calls: effects.calls("payment-1") }).toEqual({ type: "unknown-outcome", calls: 0 });
    await call(`/v1/agent/runs/${run}/interrupts/${id}`, { decision: "reject", plan });
    expect(await ended(run)).toMatchObject({ outcome: "answered" });
    expect(effects.calls("payment-1")).toBe(0);
    expect(effects.calls("side-payment-1")).toBe(0);
  });

  it("has a sound audit, also once this version has written to it", async () => {
    const run = await approve("refund-4");
    await ended(run);
    const config = join(folder, "postel.yaml");
    const { status, out } = await runPostel(["audit", "verify", "--config", config], "", env);
    expect({ status, out }).toMatchObject({ status: 0, out: expect.stringMatching(/^sound: \d+ entries/) });
  });
});
