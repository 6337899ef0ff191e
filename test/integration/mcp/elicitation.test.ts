// What a server asks a person while its tool runs: one person, of the run whose call it is, by a form; the call goes on with the answer, and nothing is done twice.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Asked } from "../../support/mcp/evilGateway.ts";
import {
  askedIn,
  callsOf,
  decide,
  evil,
  listTools,
  readAtLast,
  sentTo,
  startEvilService,
} from "../../support/mcp/evilGateway.ts";
import { makePlace, type Place, type Served, startServed } from "../../support/mcp/mcpGateway.ts";

let place: Place;
let served: Served;
beforeEach(() => {
  place = makePlace();
  listTools(place, "elicit", "twice", "link", "flood", "act");
});
afterEach(async () => {
  await served.close();
  place.remove();
});

const CALL = { name: "evil.elicit", arguments: { to: "ann" } };
const ACCEPT = { decision: "answer", response: '{"account": "A-17", "copies": "2"}' };

async function start(more = "", ...lines: readonly string[]): Promise<void> {
  served = await startServed(place, evil(place, ...lines), { more: `store: { file: store.db }\n${more}` });
}

async function asked(call = CALL): Promise<Asked> {
  const [question] = askedIn(await served.ask(call));
  if (!question) throw new Error("Nobody was asked.");
  return question;
}

/** What the server was told of its questions, in their order. */
function answers(): readonly unknown[] {
  return sentTo(place).flatMap(({ id, result, error }) => (String(id).startsWith("s") ? [result ?? error] : []));
}

describe("a server that asks a person", () => {
  it("is told what the person filled in, in the call that is still under way", async () => {
    await start();
    const question = await asked();
    expect(question).toMatchObject({
      name: "ask_user",
      shown: {
        question: "The server evil asks: Which account?",
        schema: { properties: { account: { type: "string" } }, required: ["account"] },
        reason: expect.stringContaining("evil.elicit"),
      },
    });
    await decide(served, question, ACCEPT);
    expect(answers()).toEqual([{ action: "accept", content: { account: "A-17", copies: 2 } }]);
    expect(readAtLast(served)).toEqual(['{"action":"accept","content":{"account":"A-17","copies":2}}']);
    expect(callsOf(place)).toHaveLength(1);
  });

  it("is told that the person did not want to say", async () => {
    await start();
    await decide(served, await asked(), { decision: "cancel" });
    expect(readAtLast(served)).toEqual(['{"action":"decline"}']);
  });

  it("hears nothing that its form forbids: the person is told what is wrong, and may try again", async () => {
    await start();
    const question = await asked();
    await expect(decide(served, question, { decision: "answer", response: '{"copies": 1}' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("account"),
    });
    expect(answers()).toEqual([]);
    await decide(served, question, ACCEPT);
    expect(answers()).toHaveLength(1);
  });

  it("may ask once more, and the call goes on from question to question", async () => {
    await start();
    const again = await decide(served, await asked({ ...CALL, name: "evil.twice" }), ACCEPT);
    const [second] = askedIn(again);
    expect(second?.shown.question).toBe("The server evil asks: And then?");
    if (second) await decide(served, second, { decision: "cancel" });
    expect(readAtLast(served)[0]).toContain('{"action":"decline"}]');
    expect(callsOf(place)).toHaveLength(1);
  });

  it("waits for a person longer than a call may be silent", async () => {
    await start("", "timeout_ms: 2000");
    const question = await asked();
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await decide(served, question, ACCEPT);
    expect(readAtLast(served)[0]).toContain("accept");
  });

  it("is asked nothing again where the process has ended meanwhile: nobody knows what the call has done", async () => {
    await start();
    const question = await asked();
    await served.close();
    await start();
    await decide(served, question, ACCEPT);
    expect(readAtLast(served)[0]).toContain("whether the call had an effect is not known, and it was not made again");
    expect(callsOf(place)).toHaveLength(1);
  });

  it("is asked again with the answer at hand where the operator says that this does no harm", async () => {
    await start("", "idempotent: true");
    const question = await asked();
    await served.close();
    await start("", "idempotent: true");
    await decide(served, question, ACCEPT);
    expect(readAtLast(served)[0]).toContain('"account":"A-17"');
    expect(callsOf(place)).toHaveLength(2);
  });

  it("has nobody asked where nobody is there, and is told so at once", async () => {
    await start();
    served.next(CALL);
    const body = { model: "hand", no_store: true, messages: [{ role: "user", content: "Go." }] };
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    await (await fetch(`${served.gateway.url}/v1/agent`, post)).text();
    expect(answers()).toEqual([{ action: "cancel" }]);
  });

  it("has nobody asked where its question may be of any of several calls", async () => {
    listTools(place, "progress", "elicit");
    await start("", "timeout_ms: 400", "max_timeout_ms: 800");
    const answer = await served.ask({ ...CALL, name: "evil.progress" }, CALL);
    expect(askedIn(answer)).toEqual([]);
    expect(await served.told("ignored", /any of several calls/)).toBeDefined();
  });

  it("is known by its own request over HTTP: two calls at once ask two things, and each hears its answer", async () => {
    const service = await startEvilService(place);
    try {
      served = await startServed(place, service.component);
      const questions = askedIn(await served.ask(CALL, { name: "evil.elicit", arguments: { to: "bob" } }));
      expect(questions).toHaveLength(2);
      const [first, second] = questions;
      if (first) await decide(served, first, ACCEPT);
      if (second) await decide(served, second, { decision: "cancel" });
      expect(readAtLast(served).map((said) => JSON.parse(said).action)).toEqual(["accept", "decline"]);
    } finally {
      await service.close();
    }
  });

  it("asks one thing at a time, and only so often: a flood of questions reaches nobody", async () => {
    await start();
    const question = await asked({ ...CALL, name: "evil.flood" });
    await decide(served, question, ACCEPT);
    expect(answers()).toHaveLength(200);
    expect(answers().filter((one) => JSON.stringify(one).includes("accept"))).toHaveLength(1);
  });

  it("has no address opened, and the log says what it wanted", async () => {
    await start();
    expect((await served.call({ ...CALL, name: "evil.link" }))[0]).toContain("-32602");
    expect(await served.told("ignored", /open an address, which is refused/)).toBeDefined();
  });
});
