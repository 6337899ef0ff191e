// What a run rests on, told with its answer: whole and streamed, in a session's messages, through an agent as a tool and over a wait for a person.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Declared, type Said, startDeclared } from "../../support/declared/startDeclared.ts";
import type { UpstreamRequest } from "../../support/FakeUpstream.ts";

const TIDES = { title: "Tides", url: "https://example.org/tides" };
const MOON = { title: "Moon", url: "https://example.org/moon" };

let service: Server;
let declared: Declared;
beforeEach(async () => {
  service = createServer((request, response) => {
    const found = { "/tides": [TIDES, { id: "doc-7" }], "/moon": [MOON, TIDES] }[request.url ?? ""] ?? [];
    response.end(JSON.stringify({ text: "Twice a day.", found }));
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
});
afterEach(async () => {
  await declared.close();
  service.closeAllConnections();
  service.close();
});

const lookUp = (about: string) => ({ name: "search", arguments: { about } });

/** The model of each agent makes its calls of the first turn, then answers. */
async function start(calls: Readonly<Record<string, Said>>): Promise<void> {
  const yaml = `
components:
  - id: search
    type: http-client
    base_url: http://127.0.0.1:${(service.address() as AddressInfo).port}
    actions: [{ id: find, path: "/\${input.about}", output: "\${response.text}", sources: "\${response.found}" }]
agents:
  - { id: default, model: m, tools: [search, scholar, { tool: clock, approval: always }], system_prompt: I am the clerk. }
  - { id: scholar, model: m, tools: [search], system_prompt: I am the scholar. }
`;
  declared = await startDeclared(yaml, ({ body }: UpstreamRequest) => {
    const said = JSON.stringify(body.messages);
    const who = said.includes("I am the scholar") ? "scholar" : "default";
    return (!said.includes("Twice a day.") && calls[who]) || "Twice a day.";
  });
}

const ask = (more: object = {}) => ({
  model: "m",
  messages: [{ role: "user", content: "How often does the tide come?" }],
  ...more,
});
const THREE = [
  { tool: "search", ...TIDES },
  { tool: "search", id: "doc-7" },
  { tool: "search", ...MOON },
];

describe("the sources of a run", () => {
  it("stand in the whole answer and in the last chunk of a streamed one, each once, in the order in which they came", async () => {
    await start({ default: [lookUp("tides"), lookUp("moon"), lookUp("nothing")] });
    const whole = await declared.post("/v1/agent", ask());
    expect(whole.body.postel).toMatchObject({ outcome: "answered", sources: THREE });
    const { text } = await declared.post("/v1/agent", ask({ stream: true }));
    const chunks = text.split("\n\n").flatMap((event) => /^data: (\{.*)/s.exec(event)?.[1] ?? []);
    const parsed = chunks.map((chunk) => JSON.parse(chunk));
    expect(parsed.findLast(({ postel }) => postel)?.postel).toMatchObject({ sources: THREE });
    const events = parsed.flatMap(({ postel_event: event }) => event ?? []);
    expect(events.find(({ type }) => type === "run-end")).toMatchObject({ sources: THREE });
    expect(events.find(({ type }) => type === "tool-result")).toMatchObject({ sources: [TIDES, { id: "doc-7" }] });
  });

  it("are none where nothing names any", async () => {
    await start({ default: [lookUp("nothing")] });
    expect((await declared.post("/v1/agent", ask())).body.postel).not.toHaveProperty("sources");
  });

  it("are kept with the answer in the session's messages, and shown to no model", async () => {
    await start({ default: [lookUp("tides")] });
    await declared.post("/v1/agent", ask({ session_id: "s" }));
    const { body } = await declared.get("/v1/agent/sessions/s/export");
    expect(body.messages.at(-1)).toMatchObject({ role: "assistant", sources: THREE.slice(0, 2) });
    await declared.post("/v1/agent", ask({ session_id: "s" }));
    expect(JSON.stringify(declared.upstream.requests)).not.toContain("example.org");
  });

  it("are those of the agent that was asked to look, where another looked", async () => {
    await start({ default: [{ name: "scholar", arguments: { task: "Look it up." } }], scholar: [lookUp("tides")] });
    const { postel } = (await declared.post("/v1/agent", ask())).body;
    expect(postel.sources).toEqual(THREE.slice(0, 2).map((source) => ({ ...source, tool: "scholar" })));
  });

  it("are still those of before a wait, once a person has agreed", async () => {
    await start({ default: [lookUp("tides"), { name: "clock", arguments: {} }] });
    const waiting = await declared.post("/v1/agent", ask({ session_id: "s" }));
    expect(waiting.body.postel).toMatchObject({ outcome: "awaiting-human", sources: THREE.slice(0, 2) });
    const [call] = waiting.body.choices[0].message.tool_calls;
    const { plan } = JSON.parse(call.function.arguments);
    const decision = { role: "tool", tool_call_id: call.id, content: JSON.stringify({ decision: "approve", plan }) };
    const done = await declared.post("/v1/agent", ask({ session_id: "s", messages: [decision] }));
    expect(done.body.postel).toMatchObject({ outcome: "answered", sources: THREE.slice(0, 2) });
    const { body } = await declared.get("/v1/agent/sessions/s/export");
    expect(body.messages.at(-1).sources).toEqual(THREE.slice(0, 2));
  });
});
