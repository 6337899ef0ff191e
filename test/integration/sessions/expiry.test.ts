// A person's word that comes too late, over HTTP: each way in says so, and nothing runs by it.

import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { sendText } from "../../support/FakeUpstream.ts";
import { agent, type Reply, send, startTalk, type Talk } from "../../support/sessions/talk.ts";

let talk: Talk;
afterEach(() => talk.close());

const CALLS = [
  { name: "calculator", arguments: { expression: "17 * 23" } },
  { name: "ask_user", arguments: { question: "Which city?", options: ["Paris", "Rome"] } },
];

/** Whatever waits here is past its time as soon as it is asked. */
beforeEach(async () => {
  talk = await startTalk(
    ({ body }, response) => {
      const results = body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      const calls = CALLS.map((call) => `<tool_call>${JSON.stringify(call)}</tool_call>`).join("");
      sendText(response, results.length > 0 ? `I read: ${results.join("; ")}` : `So.\n${calls}`);
    },
    (config) => ({
      agents: [agent({ tool: "calculator", approval: { type: "always" }, onReject: "continue" }, { tool: "ask_user" })],
      limits: { ...config.limits, interruptMs: 0 },
    }),
  );
});

function never(): never {
  throw new Error("no configuration");
}

const user = { role: "user", content: "go" };
const said = ({ status, body }: Reply) => [status, body.error?.code];
const EXPIRED = [410, "interrupt_expired"];

/** What was asked, by the name under which the client is shown it. */
async function asked(more: object = {}): Promise<{
  readonly message: object;
  readonly calls: ReadonlyMap<string, { readonly id: string; readonly plan: string }>;
}> {
  const { body } = await send(`${talk.url}/v1/agent`, "POST", { model: "m", messages: [user], ...more });
  const { message } = body.choices[0];
  const shown = message.tool_calls.map(
    (call: { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }) =>
      [call.function.name, { id: call.id, plan: JSON.parse(call.function.arguments).plan ?? "" }] as const,
  );
  return { message, calls: new Map(shown) };
}

/** No word of what the call would have brought has come to the model. */
function expectNothingRan(): void {
  expect(JSON.stringify(talk.upstream.requests)).not.toContain("391");
}

it.each(["approve_tool_call", "ask_user"])("a tool message on an expired %s is refused", async (name) => {
  const { message, calls } = await asked();
  const { id, plan } = calls.get(name) ?? never();
  const content = name === "ask_user" ? "Paris" : JSON.stringify({ decision: "approve", plan });
  const messages = [user, message, { role: "tool", tool_call_id: id, content }];
  for (const stream of [false, true]) {
    expect(said(await send(`${talk.url}/v1/agent`, "POST", { model: "m", messages, stream }))).toEqual(EXPIRED);
  }
  expectNothingRan();
});

it.each(["approve", "edit", "reject"])("the runs route refuses an expired %s", async (decision) => {
  const { calls } = await asked();
  const { id, plan } = calls.get("approve_tool_call") ?? never();
  const [run] = (await send(`${talk.url}/v1/agent/runs`, "GET")).body.data;
  const word = { decision, plan, ...(decision === "edit" && { arguments: { expression: "17 * 23" } }) };
  const route = `${talk.url}/v1/agent/runs/${run.id}/interrupts/${id}`;
  expect(said(await send(route, "POST", word))).toEqual(EXPIRED);
  expect(said(await send(route, "POST", word))).toEqual(EXPIRED);
  expect((await send(`${talk.url}/v1/agent/interrupts`, "GET")).body.data).toEqual([]);
  expectNothingRan();
});

it("POST /chat refuses it in its plain form", async () => {
  const { calls } = await asked({ session_id: "s" });
  const interrupt_response = { id: calls.get("approve_tool_call")?.id ?? "", response: "approve" };
  const refused = await send(`${talk.url}/chat`, "POST", { session_id: "s", interrupt_response });
  expect([said(refused), Object.keys(refused.body.error)]).toEqual([EXPIRED, ["code", "message"]]);
  expectNothingRan();
});

it("a run that is resumed then goes on with what it is told of that, and not with the call", async () => {
  await asked();
  const [run] = (await send(`${talk.url}/v1/agent/runs`, "GET")).body.data;
  const answer = await send(`${talk.url}/v1/agent/runs/${run.id}/resume`, "POST", {});
  expect(answer.body.choices[0].message.content).toMatch(/nobody decided about it in time.*nobody answered in time/);
  expectNothingRan();
});
