// Fifty secrets in eight encodings go through the whole gateway; nothing that it writes, and nothing that it says of errors, may hold any.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { replayTranscript } from "../../../src/cli/replay/replayTranscript.ts";
import type { Config } from "../../../src/core/config/configuration.ts";
import { Secrets } from "../../../src/core/config/Secrets.ts";
import type { Observer } from "../../../src/core/ports.ts";
import { createLogger } from "../../../src/telemetry/createLogger.ts";
import { LogObserver } from "../../../src/telemetry/LogObserver.ts";
import { createRedact } from "../../../src/telemetry/redaction/createRedact.ts";
import { TerminalObserver } from "../../../src/telemetry/TerminalObserver.ts";
import { parseTranscript, type Transcript } from "../../../src/transcripts/format/Transcript.ts";
import { canaries, ENCODINGS, leaksOf } from "../../support/canaries.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, startGateway } from "../../support/startGateway.ts";

// Four hundred secrets are looked for in all that is written, on a machine that may be busy.

const CANARIES = canaries(50);

let folder: string;
let written: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-secrets-"));
  written = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Everything that the process logs, as programs and as people read it. */
function logs(): Observer {
  const redact = createRedact(CANARIES);
  const write = (line: string): void => void written.push(line);
  const output = new Writable({ write: (line, _encoding, done) => done(write(String(line)) as undefined) });
  const observers = [
    new LogObserver(createLogger({ level: "debug", redact, destination: { write } })),
    new TerminalObserver({ output, redact, now: () => 0 }),
  ];
  return { observe: (observation) => observers.forEach((one) => void one.observe(observation)) };
}

function configWith(upstream: FakeUpstream): Config {
  const config = configFor(upstream.baseUrl);
  const [first] = config.upstreams;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder.
  const path = "/lookup?q=${input.q}";
  return {
    ...config,
    upstreams: first?.type === "server" ? [{ ...first, apiKey: CANARIES[0] }] : [],
    components: [
      {
        type: "http-client",
        id: "lookup",
        description: "Looks up.",
        baseUrl: upstream.baseUrl,
        headers: { "x-key": CANARIES[1] ?? "" },
        actions: [{ id: "a", tool: "lookup", method: "POST", path, params: {}, body: { key: CANARIES[2] ?? "" } }],
      },
    ],
    agents: [{ id: "default", tools: [{ tool: "lookup" }], sampling: {}, limits: config.limits.run, actions: [] }],
    secrets: new Secrets(CANARIES),
  };
}

function sendPieces(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const pieces = text.match(/[\s\S]{1,3}/g) ?? [];
  const call = [{ index: 0, id: "c1", type: "function", function: { name: "lookup", arguments: '{"q": "x"}' } }];
  const choices = [{ index: 0, delta: { tool_calls: call }, finish_reason: "tool_calls" }];
  for (const piece of pieces) response.write(chunk(piece));
  response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
}

function recordings(): readonly Transcript[] {
  return readdirSync(folder).map((file) => parseTranscript(readFileSync(join(folder, file), "utf8"), file));
}

/** The texts of a recorded stream as a reader would put them together. */
function heard({ exchanges }: Transcript): string {
  const bodies = exchanges.map(({ chunks }) => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString());
  return bodies.join("\n").replaceAll(/"\},"finish_reason":null\}\]\}\n\ndata: .*?"content":"/g, "");
}

describe.each(ENCODINGS)("secrets written %s", (_, encode) => {
  const said = CANARIES.map(encode).join(" ; ");

  it("reach no log, no recording, no tool result and no error, and the recording replays", async () => {
    let asked = 0;
    const upstream = await FakeUpstream.start(({ path }, response) => {
      if (path.includes("lookup")) {
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify({ found: said }));
      }
      asked += 1;
      if (asked === 1) return sendPieces(response, said);
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `wrong: ${said}`, type: "invalid_request_error" } }));
    });
    const gateway = await startGateway({ config: configWith(upstream), observer: logs(), recordTo: folder });
    const messages = [{ role: "user", content: "Hi" }];
    const answer = await fetch(`${gateway.url}/v1/agent`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages }),
    });
    const { error } = (await answer.json()) as { error: { partial?: unknown } };
    await gateway.close();
    await upstream.close();
    const read = upstream.requests
      .filter(({ path }) => path.endsWith("/completions"))
      .at(-1)
      ?.body.messages.at(-1);
    expect(read).toMatchObject({ role: "tool", content: expect.stringContaining("[redacted]") });
    expect(leaksOf(JSON.stringify(read), CANARIES)).toEqual([]);
    expect(leaksOf(JSON.stringify({ ...error, partial: undefined }), CANARIES)).toEqual([]);
    expect(leaksOf(written.join(""), CANARIES)).toEqual([]);
    expect(written.join("")).toContain("[redacted]");
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
    expect(leaksOf(files.join(""), CANARIES)).toEqual([]);
    const [transcript] = recordings();
    if (!transcript) throw new Error("nothing was recorded");
    expect(transcript.exchanges).toHaveLength(3);
    expect(leaksOf(heard(transcript), CANARIES)).toEqual([]);
    const replayed = await replayTranscript(configWith(upstream), transcript, { type: "recorded" });
    expect(replayed).toMatchObject({ actual: { error: "upstream_refused" }, faults: [] });
  });
});

it("a plain answer is the caller's, and is passed on as the model wrote it", async () => {
  const said = CANARIES.join(" ");
  const upstream = await FakeUpstream.start((_request, response) => response.end(chunk(said, "stop")));
  const gateway = await startGateway({ config: configWith(upstream), observer: logs(), recordTo: folder });
  const { choices } = await gateway
    .client()
    .chat.completions.create({ model: "m", messages: [{ role: "user", content: "Hi" }] });
  expect(choices[0]?.message.content).toBe(said);
  await gateway.close();
  await upstream.close();
});

it("a tool's error body is redacted before the model reads it", async () => {
  let asked = 0;
  const upstream = await FakeUpstream.start(({ path, headers }, response) => {
    if (path.includes("lookup")) {
      response.writeHead(401, { "content-type": "text/plain" });
      return response.end(`bad key ${headers["x-key"]}, and ${Buffer.from(CANARIES[1] ?? "").toString("base64")}`);
    }
    asked += 1;
    if (asked === 1) return sendPieces(response, "I look.");
    response.end(chunk("Done.", "stop"));
  });
  const gateway = await startGateway({ config: configWith(upstream) });
  await gateway
    .client("/v1/agent")
    .chat.completions.create({ model: "m", messages: [{ role: "user", content: "Hi" }] });
  await gateway.close();
  await upstream.close();
  expect(upstream.requests.at(-1)?.body.messages.at(-1)?.content).toMatch(
    /^Error: the service answered with status 401: bad key \[redacted\], and \[redacted\](\n|$)/,
  );
});
