// What two callers have that a service wants of them: each call has its owner's, and nothing that is written or said has any.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { replayTranscript } from "../../../src/cli/replay/replayTranscript.ts";
import { collectSecrets } from "../../../src/config/load/collectSecrets.ts";
import type { Config } from "../../../src/core/config/configuration.ts";
import { createLogger } from "../../../src/telemetry/createLogger.ts";
import { LogObserver } from "../../../src/telemetry/LogObserver.ts";
import { createRedact } from "../../../src/telemetry/redaction/createRedact.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { leaksOf } from "../../support/canaries.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { type RunningGateway, startGateway } from "../../support/startGateway.ts";

const ANNS = "Zq7-anns_Tickets.4417";
const BOBS = "Yw3-bobs_Tickets.8821";

interface Served {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let folder: string;
let served: Served[];
let service: Server;
let model: FakeUpstream;
let gateway: RunningGateway;
let config: Config;
let logged: string;

/** A careless service: it repeats all that it was sent, in its answer, its errors and its headers. */
async function startService(): Promise<string> {
  service = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { url = "", headers } = request;
    served.push({ url, headers, body });
    const said = JSON.stringify({
      url,
      headers,
      body,
      again: Buffer.from(String(headers["x-key"])).toString("base64"),
    });
    response.writeHead(url.includes("fail") ? 403 : 200, { "x-echo": String(headers["x-key"]) }).end(said);
  });
  await once(service.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}

/** A model that calls the tool whose name its user says, and then repeats what it read. */
function startModel(): Promise<FakeUpstream> {
  return FakeUpstream.start(({ body }, response) => {
    const last = body.messages.at(-1);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (last?.role !== "user") return void response.end(`${chunk(`I read ${last?.content}`, "stop")}data: [DONE]\n\n`);
    const call = { name: last.content, arguments: last.content === "program" ? "{}" : '{"id":"7"}' };
    const tool_calls = [{ index: 0, id: "call00001", type: "function", function: call }];
    const choices = [{ index: 0, delta: { tool_calls }, finish_reason: "tool_calls" }];
    response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-owners-"));
  for (const name of ["kept", "recorded"]) mkdirSync(join(folder, name));
  served = [];
  logged = "";
  model = await startModel();
  const file = join(folder, "postel.yaml");
  writeFileSync(file, yamlOf(model.baseUrl, await startService()));
  const env = { ANNS, BOBS };
  config = readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
  const write = (line: string): void => {
    logged += line;
  };
  const redact = createRedact(collectSecrets(config));
  const observer = new LogObserver(createLogger({ level: "debug", redact, destination: { write } }));
  gateway = await startGateway({ config, observer, recordTo: join(folder, "recorded") });
});
afterEach(async () => {
  await model.close();
  service.closeAllConnections();
  await new Promise((closed) => service.close(closed));
  rmSync(folder, { recursive: true });
});

function yamlOf(upstream: string, url: string): string {
  return `
server: { api_keys: [{ name: ann, key: gateway-key-of-ann }, { name: bob, key: gateway-key-of-bob }, { name: eve, key: gateway-key-of-eve }] }
upstreams: [{ id: fake, base_url: "${upstream}", models: ["*"] }]
components:
  - id: tickets
    type: http-client
    base_url: ${url}
    headers: { X-Key: "\${owner.TICKETS}" }
    actions:
      - { id: read, method: POST, path: "/t/\${input.id}", query: { key: "\${owner.TICKETS}", q: "a \${owner.TICKETS}" }, body: { with: "\${owner.TICKETS}", id: "\${input.id}" } }
      - { id: fail, method: POST, path: "/fail/\${input.id}", form: { k: "\${owner.TICKETS}" } }
  - id: program
    type: shell
    command: [printenv, HELD]
    env: { HELD: "\${owner.TICKETS}" }
agents: [{ id: default, tools: [tickets.read, tickets.fail, program] }]
owners:
  ann: { credentials: { TICKETS: "\${env.ANNS}" } }
  bob: { credentials: { TICKETS: "\${env.BOBS}" } }
store: { file: kept/postel.db }
retries: { attempts: 1 }
`;
}

async function ask(owner: string, tool: string, stream = false): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/agent`, {
    method: "POST",
    headers: { authorization: `Bearer gateway-key-of-${owner}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream, session_id: `s-${owner}`, messages: [{ role: "user", content: tool }] }),
  });
  return await response.text();
}

const read = () => String(model.requests.at(-1)?.body.messages.at(-1)?.content);

function filesIn(name: string): string {
  const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
    .join("\n");
}

describe("what an owner has that a service wants", () => {
  it("is sent with that owner's calls alone, and a caller who has none is told before anything is sent", async () => {
    await ask("ann", "tickets.read");
    await ask("bob", "tickets.fail");
    expect(served.map(({ headers }) => headers["x-key"])).toEqual([ANNS, BOBS]);
    expect(served[0]).toMatchObject({ url: `/t/7?key=${ANNS}&q=a%20${ANNS}`, body: `{"with":"${ANNS}","id":"7"}` });
    expect(served[1]).toMatchObject({ body: `k=${BOBS}` });
    await ask("eve", "tickets.read");
    expect(read()).toMatch(/^Error: eve has no credential `TICKETS`, so nothing was sent/);
    expect(served).toHaveLength(2);
    await gateway.close();
  });

  it("is given to the programs of that owner alone", async () => {
    const answers = [await ask("ann", "program"), await ask("eve", "program")];
    expect(answers[0]).toContain("[redacted]");
    expect(answers[1]).toContain("eve has no credential");
    await gateway.close();
  });

  it("is in no prompt, tool, answer, stream, log, recording or store, however the service repeats it", async () => {
    const said: string[] = [];
    for (const owner of ["ann", "bob"])
      for (const tool of ["tickets.read", "tickets.fail", "program"])
        for (const stream of [false, true]) said.push(await ask(owner, tool, stream));
    await gateway.close();
    expect(served).toHaveLength(8);
    expect(said.join("")).toContain("[redacted]");
    const places = {
      answers: said.join("\n"),
      prompts: JSON.stringify(model.requests),
      logs: logged,
      recordings: filesIn("recorded"),
      store: filesIn("kept"),
    };
    for (const [place, text] of Object.entries(places)) {
      expect([place, text.length > 500]).toEqual([place, true]);
      expect([place, leaksOf(text, [ANNS, BOBS])]).toEqual([place, []]);
    }
  });

  it("is not needed by a replay, which finds the mask where the recording has it", async () => {
    await ask("ann", "tickets.read");
    await gateway.close();
    const [file = ""] = readdirSync(join(folder, "recorded"), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".json") || name.endsWith(".jsonl"));
    const transcript = parseTranscript(readFileSync(join(folder, "recorded", file), "utf8"), file);
    expect(transcript.exchanges).toHaveLength(3);
    const before = served.length;
    const { faults, actual } = await replayTranscript(config, transcript, { type: "recorded" });
    expect(faults).toEqual([]);
    expect(actual.tool_results?.[0]?.content).toContain("[redacted]");
    expect(served).toHaveLength(before);
  });
});
