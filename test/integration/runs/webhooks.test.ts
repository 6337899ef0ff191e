// What webhooks are told of runs: signed, once each where they hear it, again where they do not, and after a restart.
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { Egress, EgressRequest } from "../../../src/core/ports.ts";
import {
  ADA,
  ANSWERED,
  type DeskWorld,
  deskWorld,
  interrupt,
  type Play,
  recordIs,
  request,
  until,
} from "../../support/runs/runServiceFixtures.ts";

let world: DeskWorld;
let heard: EgressRequest[];
beforeEach(async () => {
  world = await deskWorld();
  heard = [];
});
afterEach(() => world.close());

const KEY = { owner: "ada", id: "r1" };
const SECRET = `whsec_${Buffer.from("a key of some length").toString("base64")}`;
const WEBHOOKS = [{ url: "http://hook.test/told", secret: SECRET, events: ["interrupt", "run-end"] }] as const;

function hook(status: () => number): Egress {
  return {
    send: async (sent) => {
      heard.push(sent);
      return { status: status(), headers: {}, body: (async function* () {})() };
    },
  };
}

const asksOnce: Play = async (state, { journal, decisions }, _signal, take) => {
  if (decisions?.size) return void (await take([{ type: "text-delta", text: "A secret word." }, ANSWERED]));
  await journal.recordWaiting({ ...state, turn: 1 }, [interrupt(state.id, "q1", { question: "A secret question?" })]);
  await take([{ ...ANSWERED, outcome: "awaiting-human" }]);
};

const bodies = () => heard.map(({ body = "" }) => JSON.parse(body));

it("a run that waits and a background run that ended are told, signed, without a word of what was said", async () => {
  const desk = world.desk(asksOnce, { webhooks: WEBHOOKS, egress: hook(() => 204) });
  await desk.start(request("r1"));
  await until(() => heard.length === 1);
  await desk.decide("ada", "q1", { type: "cancel" }, ADA);
  await until(() => heard.length === 2);
  expect(bodies()).toMatchObject([
    { type: "interrupt", run: "r1", owner: "ada", interrupt: { id: "q1", type: "clarify" } },
    { type: "run-end", run: "r1", owner: "ada", outcome: "answered" },
  ]);
  for (const { headers, body } of heard) {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const mac = createHmac("sha256", "a key of some length").update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${mac}`);
    expect(body).not.toContain("secret");
  }
  await until(async () => (await world.store.notices.take(10, 0)).length === 0);
});

it("what was not heard is told by the next process, under the same id", async () => {
  const first = world.desk(asksOnce, { webhooks: WEBHOOKS, egress: hook(() => 503) });
  await first.start(request("r1"));
  await recordIs(first, KEY, ({ status }) => status === "waiting");
  await until(() => heard.length === 1);
  await first.stop();
  const [kept] = await until5(async () => {
    const [id] = heard.map(({ headers }) => headers["webhook-id"] ?? "");
    await world.store.notices.postpone(id ?? "", 0);
    return [id];
  });
  const second = world.desk(asksOnce, { webhooks: WEBHOOKS, egress: hook(() => 200) });
  second.startBackgroundRuns();
  await until(() => heard.length === 2);
  expect(heard[1]?.headers["webhook-id"]).toBe(kept);
});

/** The first process may be putting it off just now. */
async function until5<T>(what: () => Promise<T>): Promise<T> {
  await until(() => world.observed.some(({ type }) => type === "failure"));
  return what();
}
