// A statement that would destroy, on its way to a real service: a person is asked whatever the rules of the agent say, or nothing runs.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Journal, NO_JOURNAL } from "../../../src/agents/run/Journal.ts";
import { Credentials } from "../../../src/core/config/Credentials.ts";
import type { Egress } from "../../../src/core/ports.ts";
import type { Decision, Interrupt } from "../../../src/core/runs/interrupts.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import { matchesSchema } from "../../../src/formats/validation/fitValue.ts";
import { createHttpClientTools } from "../../../src/tools/http/httpClientTools.ts";
import { AGENT, chat, gateway, listOf, never } from "../../support/agents/gateway.ts";
import { calls, ScriptedModel, says } from "../../support/ScriptedModel.ts";

const DELETES = "DELETE FROM orders WHERE id = 7 OR 'a' = 'a'";

let service: Server;
let statements: string[] = [];
beforeEach(async () => {
  statements = [];
  service = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    statements.push((JSON.parse(body) as { sql: string }).sql);
    response.end('{"rows": 1}');
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
});
afterEach(async () => {
  service.closeAllConnections();
  await new Promise((closed) => service.close(closed));
});

const egress: Egress = {
  async send({ method, url, headers, body }, signal) {
    const response = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) });
    const empty: AsyncIterable<Uint8Array> = (async function* () {})();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body ?? empty };
  },
};

/** An agent whose rules ask for nobody, and a model that says the statement and then something. */
function testGateway(sql: string) {
  const { port } = service.address() as AddressInfo;
  const action = { id: "query", tool: "query", method: "POST", path: "/", body: { sql: "${input.sql}" } } as const;
  const tools = createHttpClientTools(
    {
      type: "http-client",
      id: "db",
      description: "The orders.",
      baseUrl: `http://127.0.0.1:${port}`,
      headers: {},
      actions: [{ ...action, params: { sql: { type: "string", format: "sql" } } }],
    },
    { egress, headersMs: 5_000, redact: (text) => text, credentials: new Credentials(), matches: matchesSchema },
  );
  let saved = "";
  let asked: readonly Interrupt[] = [];
  const journal: Journal = {
    ...NO_JOURNAL,
    recordWaiting: async (state, interrupts) => {
      saved = JSON.stringify(state);
      asked = interrupts;
    },
  };
  const model = new ScriptedModel(calls({ name: "query", arguments: JSON.stringify({ sql }) }), says("Done."));
  const agent = { ...AGENT, tools: [{ tool: "query", approval: { type: "never" } }] } as const;
  const { runner } = gateway(model, { tools, journal, agents: [agent] });
  return {
    model,
    run: (interactive: boolean) => listOf(runner.run({ chat: chat(), interactive }, never)),
    asked: () => asked,
    decide: (decide: (plan: string) => Decision) => {
      const decisions = new Map(asked.map(({ id, plan }) => [id, decide(plan?.hash ?? "")]));
      return listOf(runner.proceed(JSON.parse(saved) as RunState, { decisions }, never));
    },
  };
}

describe("a statement that would destroy", () => {
  it("reaches nobody before a person has agreed to it, and then as it was shown", async () => {
    const { run, asked, decide } = testGateway(DELETES);
    const events = await run(true);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "awaiting-human" });
    expect(statements).toEqual([]);
    const danger = "the `WHERE` of `DELETE` may hold for every row: then it empties the table orders";
    expect(asked()).toMatchObject([{ type: "approval", onReject: "stop", plan: { danger } }]);
    await decide((plan) => ({ type: "approve", plan }));
    expect(statements).toEqual([DELETES]);
  });

  it("reaches nobody where nobody is there to be asked", async () => {
    const { run, model } = testGateway(DELETES);
    await run(false);
    expect(statements).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Error");
  });

  it("ends the run where a person says no", async () => {
    const { run, decide } = testGateway(DELETES);
    await run(true);
    expect((await decide((plan) => ({ type: "reject", plan }))).at(-1)).toMatchObject({ outcome: "rejected" });
    expect(statements).toEqual([]);
  });

  it("is asked about again where a person's own edit would destroy", async () => {
    const { run, asked, decide } = testGateway(DELETES);
    await run(true);
    const first = asked()[0]?.plan?.hash;
    await decide((plan) => ({ type: "edit", plan, arguments: { sql: "DROP TABLE orders" } }));
    expect(statements).toEqual([]);
    expect(asked()).toMatchObject([{ plan: { edited: true, danger: expect.stringContaining("DROP TABLE") } }]);
    expect(asked()[0]?.plan?.hash).not.toBe(first);
    await decide((plan) => ({ type: "edit", plan, arguments: { sql: "DELETE FROM orders WHERE id = 7" } }));
    expect(statements).toEqual(["DELETE FROM orders WHERE id = 7"]);
  });

  it.each(["DELETE FROM orders WHERE id = 7", "SELECT 'DROP TABLE orders'"])("is not this one: %s", async (sql) => {
    await testGateway(sql).run(true);
    expect(statements).toEqual([sql]);
  });
});
