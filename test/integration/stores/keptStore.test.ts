// A gateway whose store lies in a file: what it learnt outlives it, and a store that fails costs no chat completion anything.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../src/core/ports.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { openServices } from "../../support/gatewayModules.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let folder: string;
let upstream: FakeUpstream;
let gateway: RunningGateway;
let learnt: PromiseWithResolvers<void>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-kept-"));
  // A server that knows no tools: a model is asked with them once, and then in text.
  upstream = await FakeUpstream.start(({ path, body }, response) => {
    if (path.endsWith("/models")) response.end('{"data":[]}');
    else if (body.tools) sendError(response, 400, "tiny-llm does not support tools");
    else sendText(response, "No call.");
  });
  gateway = await start();
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
  rmSync(folder, { recursive: true });
});

function start(): Promise<RunningGateway> {
  learnt = Promise.withResolvers();
  const { store, ...config } = configFor(upstream.baseUrl);
  const file = join(folder, "postel.db");
  const observe = ({ type }: { readonly type: string }) => type === "evidence" && learnt.resolve();
  return startGateway({ config: { ...config, store: { ...store, file } }, observer: { observe } });
}

const tools = [{ type: "function" as const, function: { name: "clock", parameters: { type: "object" } } }];
const ask = () =>
  gateway.client().chat.completions.create({
    model: "tiny-llm",
    messages: [{ role: "user", content: "Hello." }],
    tools,
  });
const withTools = () => upstream.requests.filter(({ body }) => body.tools).length;

describe("a gateway with a store in a file", () => {
  it("knows after a restart what it had learnt of a model", async () => {
    await ask();
    await learnt.promise;
    expect(withTools()).toBeGreaterThan(0);
    await gateway.close();
    const before = withTools();
    gateway = await start();
    await ask();
    expect(withTools()).toBe(before);
  });

  it.each([
    ["locked", "begin immediate"],
    ["robbed of its tables", "drop table evidence; drop table runs; drop table sessions"],
  ])("completes chats as ever where the file is %s", async (_how, sql) => {
    const other = new DatabaseSync(join(folder, "postel.db"));
    other.exec(sql);
    const started = performance.now();
    const answer = await ask();
    expect(answer.choices[0]?.message.content).toContain("No call.");
    expect(performance.now() - started).toBeLessThan(4_000);
    if (other.isTransaction) other.exec("rollback");
    other.close();
  });
});

describe("a gateway without a file for its store", () => {
  it("says once that what it keeps ends with it, when it keeps something", async () => {
    const observed: string[] = [];
    const observer = { observe: ({ type }: Observation) => void observed.push(type) };
    const testGateway = await openServices(configFor(upstream.baseUrl), { observers: [observer] });
    expect(observed).toEqual([]);
    for (const id of ["a", "b"]) await testGateway.store.sessions.open({ owner: "ada", id }, {});
    expect(observed).toEqual(["store-in-memory"]);
    expect(await testGateway.store.sessions.list("ada", { limit: 9 })).toHaveLength(2);
    await testGateway.close();
  });
});
