// What calls of tools came to: counted by runs, kept in the store's file, listed by `postel tools`. Whole processes, a real service.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { ToolCounter } from "../../../src/telemetry/ToolCounter.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { sendTurn } from "../../support/simulateModel.ts";

/** One turn with all calls, then the answer. */
const CALLS = [
  { name: "price", arguments: { item: "tea" } },
  { name: "price", arguments: { item: "salt" } },
  { name: "shop.refund", arguments: { order: "A-1" } },
  { name: "shop.slow", arguments: {} },
  { name: "calculator", arguments: { expression: "1 +" } },
];

let folder: string;
let service: Server;
let upstream: FakeUpstream;
let config: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-statistics-"));
  service = createServer((request, response) => {
    if (request.url === "/slow") return;
    response.writeHead(request.url === "/refund" ? 403 : 200).end("0123456789");
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  upstream = await FakeUpstream.start((request, response) => {
    if (request.path.endsWith("/models")) return void response.end('{"object": "list", "data": [{"id": "m"}]}');
    const isFirst = !request.body.messages.some(({ role }) => role === "tool");
    sendTurn(response, isFirst ? { calls: CALLS } : { text: "Done." }, false);
  });
  config = join(folder, "postel.yaml");
  writeFileSync(
    config,
    `
store: { file: kept.db }
upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]
components:
  - id: shop
    type: http-client
    base_url: http://127.0.0.1:${(service.address() as AddressInfo).port}
    actions:
      - { id: price, path: "/price/\${input.item}" }
      - { id: refund, method: POST, path: /refund, body: "\${input.order}", approval: { when: { required: [never] } } }
      - { id: slow, path: /slow, timeout_ms: 50 }
agents:
  - id: clerk
    model: m
    tools: [{ tool: shop.price, name: price }, { tool: shop.refund, approval: never }, shop.slow, calculator]
`,
  );
});
afterEach(async () => {
  service.closeAllConnections();
  service.close();
  await upstream.close();
  rmSync(folder, { recursive: true });
});

const run = () => runPostel(["run", "What is the price?", "--agent", "clerk", "--config", config]);

describe("the calls of a run", () => {
  it("are counted by tool and outcome, under the name that the gateway has, and added up over processes", async () => {
    const ended = await run();
    expect([ended.status, ended.out]).toEqual([0, expect.stringContaining("Done.")]);
    await run();
    const { status, out } = await runPostel(["tools", "--json", "--config", config]);
    expect(status).toBe(0);
    const { tools, unlisted } = JSON.parse(out);
    expect(unlisted).toEqual([]);
    const of = (name: string) => tools.find((tool: { readonly name: string }) => tool.name === name);
    expect(of("shop.price")).toEqual({
      name: "shop.price",
      kind: "http-client",
      listed: true,
      agents: [{ agent: "clerk", name: "price" }],
      approval: "never",
      untrusted: true,
      calls: { ok: { calls: 4, ms: expect.any(Number), chars: 40 } },
    });
    expect(of("shop.refund")).toMatchObject({ approval: "when", agents: [{ agent: "clerk", approval: "never" }] });
    expect(of("shop.refund").calls).toEqual({ failed: expect.objectContaining({ calls: 2 }) });
    expect(of("shop.slow").calls).toEqual({ timeout: expect.objectContaining({ calls: 2 }) });
    expect(of("shop.slow").calls.timeout.ms).toBeGreaterThanOrEqual(100);
    expect(of("calculator")).toMatchObject({ kind: "built-in", calls: { failed: { calls: 2 } } });
    expect(of("clock")).toMatchObject({ agents: [], calls: {} });
  });

  it("are shown in columns, with what failed and how", async () => {
    await run();
    const { out } = await runPostel(["tools", "--config", config]);
    const [heads, ...rows] = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(heads).toEqual(["tool", "kind", "agents", "approval", "calls", "failed", "ms", "characters"]);
    expect(rows).toContainEqual([
      "shop.slow",
      "http-client",
      "clerk",
      "never",
      "1",
      "1 timeout",
      ...[anyNumber, anyNumber],
    ]);
    expect(rows).toContainEqual(["shop.price", "http-client", "clerk as price", "never", "2", "0", anyNumber, "10"]);
  });
});

const anyNumber = expect.stringMatching(/^\d+$/);

describe("tools without a store", () => {
  it("are listed all the same, and it is said which store is not there", async () => {
    const { status, out, err } = await runPostel(["tools"], "", { XDG_STATE_HOME: folder });
    expect([status, err]).toEqual([0, expect.stringMatching(/^Nothing is kept: .*postel\.db is not there/)]);
    expect(out).toMatch(/^clock +built-in +default +never +0 +0$/m);
  });
});

describe("what is counted", () => {
  const call = { type: "tool-call", run: "r", tool: "clock", outcome: "ok", ms: 2, chars: 5 } as const;
  const retentionMax = { messages: 9, events: 9, sessions: 9, runs: 9, memories: 9 };

  it("is added where the store could not be asked before, once", async () => {
    const added: unknown[] = [];
    let works = false;
    const counter = new ToolCounter({
      add: async (counts) => {
        if (!works) throw new Error("The store is locked.");
        added.push(...counts);
      },
    });
    counter.observe(call);
    await counter.flush();
    counter.observe(call);
    works = true;
    await counter.flush();
    await counter.flush();
    expect(added).toEqual([{ tool: "clock", outcome: "ok", calls: 2, ms: 4, chars: 10 }]);
  });

  it("goes with what is as old as the runs that are kept", async () => {
    const clock = new ManualClock();
    const keepMs = { sessions: 1_000, runs: 1_000, events: 1_000, memories: 1_000 };
    const store = await SqliteStore.open({ maxBytes: 1e9, retentionMax, keepMs, clock });
    await store.toolStatistics.add([{ tool: "old", outcome: "ok", calls: 1, ms: 1, chars: 1 }]);
    clock.advance(900);
    await store.toolStatistics.add([{ tool: "young", outcome: "failed", calls: 3, ms: 1.4, chars: 1 }]);
    clock.advance(200);
    await store.sweep();
    expect(await store.toolStatistics.list()).toEqual([
      { tool: "young", outcome: "failed", calls: 3, ms: 1, chars: 1 },
    ]);
    await store.close();
  });
});
