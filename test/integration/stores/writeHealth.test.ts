// A gateway whose store or audit takes no write says so, is not ready where it needs them, and notices when they take writes again.

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Config } from "../../../src/core/config/configuration.ts";
import { WriteHealth } from "../../../src/core/WriteHealth.ts";
import { AuditFile } from "../../../src/stores/audit/AuditFile.ts";
import { StoredAuditLog } from "../../../src/stores/audit/StoredAuditLog.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { STORE } from "../../support/defaults.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-health-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("what is noted of writes", () => {
  const text = "x".repeat(20_000);

  it("is the failure of a store that is full, until there is room again", async () => {
    const health = new WriteHealth({ monotonic: () => 0 }, true);
    const file = join(folder, "postel.db");
    const store = await SqliteStore.open({ ...STORE, file, maxBytes: 400_000, clock: new ManualClock(), health });
    const key = { owner: "ada", id: "one" };
    await store.sessions.open(key, {});
    expect(health.isHealthy).toBe(true);
    const fill = async (): Promise<void> => {
      for (;;) await store.sessions.append(key, [{ role: "user", content: text }]);
    };
    await expect(fill()).rejects.toMatchObject({ failure: { code: "store_full" } });
    expect(health.getFailure("store")).toBe("store_full");
    await expect(store.tryToWrite()).rejects.toMatchObject({ failure: { code: "store_full" } });
    await store.owners.erase("ada");
    expect(health.getFailure("store")).toBeUndefined();
    await store.tryToWrite();
    await store.close();
  });

  it("is nothing of a request that the store refuses for what it asks", async () => {
    const health = new WriteHealth({ monotonic: () => 0 }, true);
    const store = await SqliteStore.open({ ...STORE, clock: new ManualClock(), health });
    await store.sessions.append({ owner: "ada", id: "none" }, [{ role: "user", content: text }]).catch(() => undefined);
    expect(health.isHealthy).toBe(true);
    await store.close();
  });

  it("is the failure of an audit whose file cannot be written, until it can", async () => {
    const health = new WriteHealth({ monotonic: () => 0 }, true);
    const store = await SqliteStore.open({ ...STORE, clock: new ManualClock(), health });
    const path = join(folder, "audit", "audit.jsonl");
    const trail = new StoredAuditLog(store.audit, new AuditFile(path, store.audit), health);
    const record = () => trail.record([{ type: "run-ended", owner: "ada", run: "r", outcome: "answered" }]);
    writeFileSync(join(folder, "audit"), "a file where a folder should be");
    await expect(record()).rejects.toThrow();
    expect([health.getFailure("audit"), health.getFailure("store")]).toEqual(["store_unavailable", undefined]);
    await expect(trail.tryToWrite()).rejects.toThrow();
    renameSync(join(folder, "audit"), join(folder, "other"));
    mkdirSync(join(folder, "audit"));
    await trail.tryToWrite();
    expect(health.isHealthy).toBe(true);
    await store.close();
  });
});

describe("/health and /ready", () => {
  let upstream: FakeUpstream;
  let gateway: RunningGateway;
  beforeEach(async () => {
    upstream = await FakeUpstream.start((_request, response) => sendText(response, "Hello."));
  });
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  const start = async (more: Partial<Config>): Promise<void> => {
    gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), ...more } });
  };
  const look = async (path: string): Promise<readonly [status: number, body: unknown]> => {
    const response = await fetch(`${gateway.url}${path}`);
    return [response.status, await response.json()];
  };

  it("say that all can be written", async () => {
    const file = join(folder, "postel.db");
    await start({ store: { ...STORE, file } });
    expect(await look("/health")).toEqual([200, { status: "ok", writes: { store: "ok", audit: "ok" } }]);
    expect(await look("/ready")).toEqual([200, { status: "ready", writes: { store: "ok", audit: "ok" } }]);
  });

  it("say that the store took no write, and that it does again", async () => {
    const file = join(folder, "postel.db");
    await start({ store: { ...STORE, file } });
    const ask = () =>
      fetch(`${gateway.url}/v1/agent/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "m", session_id: "s", messages: [{ role: "user", content: "Hello" }] }),
      });
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    expect((await ask()).status).toBe(503);
    expect(await look("/health")).toMatchObject([200, { status: "ok", writes: { store: "store_unavailable" } }]);
    expect(await look("/ready")).toMatchObject([
      503,
      { status: "not-writable", writes: { store: "store_unavailable" } },
    ]);
    other.exec("rollback");
    other.close();
    expect((await ask()).status).toBe(200);
    expect(await look("/ready")).toMatchObject([200, { writes: { store: "ok" } }]);
  });
});
