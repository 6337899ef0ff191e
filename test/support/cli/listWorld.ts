// A gateway with a store in a file, before a model whose answers the test lists; the commands are processes of their own on the same file.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { STORE } from "../defaults.ts";
import { FakeUpstream } from "../FakeUpstream.ts";
import { type Kind, type ScriptedGateway, scriptedGateway } from "../runs/scriptedGateway.ts";
import { type Ended, runPostel } from "./runPostel.ts";

/** What would clear a screen, set a title, forge a line and turn the writing. */
export const HOSTILE = "evil\u001b[2J\u001b]0;owned\u0007\nforged\tline\u202e";

export interface World {
  readonly gateway: ScriptedGateway;
  readonly folder: string;
  /** The words of a command beside its own. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  postel(...args: string[]): Promise<Ended>;
  /** Resolves once the store holds what the gateway writes behind its answers. */
  until(holds: (store: SqliteStore) => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** @param listed the names that a second server lists, beside `m` of the first. */
export async function startWorld(kind: Kind, listed: readonly string[] = []): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "postel-lists-"));
  const other: FakeUpstream = await FakeUpstream.start((_, response) =>
    response.end(JSON.stringify({ object: "list", data: listed.map((id) => ({ id, max_model_len: 4_096 })) })),
  );
  const yaml = `
store: { file: ${join(folder, "kept.db")} }
aliases: { fast: m, "gpt-*": m }
models: [{ match: [m], prices: { input: 1, output: 2 }, quirks: [merge-system], why: our own server's price list }]
upstreams:
  - { id: up, base_url: "\${env.UPSTREAM}", models: [m, "q*"] }
  - { id: down, base_url: "http://127.0.0.1:9/v1", models: ["gone-*"] }
  - { id: other, base_url: "${other.baseUrl}" }
components:
  - id: shop
    type: http-client
    base_url: "\${env.TOOLS}"
    actions: [{ id: price, path: /price }, { id: refund, method: POST, path: /refund, approval: always }]
agents:
  - { id: clerk, model: m, tools: [shop.price, shop.refund, ask_user] }
`;
  const gateway = await scriptedGateway(yaml, kind);
  const config = join(folder, "postel.yaml");
  writeFileSync(config, yaml);
  const env = { UPSTREAM: gateway.upstream, TOOLS: "http://127.0.0.1:9" };
  const flags = ["--config", config];
  const file = join(folder, "kept.db");
  return {
    ...{ gateway, folder, flags, env },
    postel: (...args) => runPostel([...args, ...flags], "", env),
    async until(holds) {
      const store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
      while (!(await holds(store))) await sleep(20);
      await store.close();
    },
    async close() {
      await gateway.close();
      await other.close();
      rmSync(folder, { recursive: true });
    },
  };
}
