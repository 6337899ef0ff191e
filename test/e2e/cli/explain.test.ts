// `postel agent explain` and `postel run --dry-run`: what a model would be sent is what it is sent, and nobody is asked.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runPostel } from "../../support/cli/runPostel.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";

let upstream: FakeUpstream;
let folder = "";
let config = "";
beforeAll(async () => {
  upstream = await FakeUpstream.start((request, response) => {
    if (request.path.endsWith("/models")) response.end(JSON.stringify({ object: "list", data: [{ id: "m" }] }));
    else sendText(response, "Done.");
  });
  folder = mkdtempSync(join(tmpdir(), "postel-explain-"));
  config = join(folder, "postel.yaml");
  writeFileSync(
    config,
    `
upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]
components:
  - id: mail
    type: http-client
    base_url: http://127.0.0.1:1
    actions: [{ id: send, method: POST, path: /send, body: { to: "\${input.to}", from: "\${context.sender}" } }]
agents:
  - id: support
    model: m
    system_prompt: You help.
    max_iterations: 4
    tools: [calculator, { component: mail, name: send_mail, approval: always, context: { sender: hidden-sender } }]
    actions:
      - { id: ticket, task: "Answer \${input.question}" }
      - { id: quick, task: "\${input.question}", tools: [] }
`,
  );
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

const asked = () => upstream.requests.filter(({ path }) => path.endsWith("/chat/completions"));

describe("an agent that is explained", () => {
  it("is shown as its model meets it, in both ways, with what a person agrees to and its limits; nobody is asked", async () => {
    const args = ["agent", "explain", "support", "--action", "ticket", "--json", "--config", config];
    const { status, out } = await runPostel(args);
    expect(status).toBe(0);
    const said = JSON.parse(out);
    expect(said).toMatchObject({
      ...{ agent: "support", action: "ticket", model: "m", tool_mode: "native" },
      limits: { max_turns: 4 },
      tools: [
        { name: "calculator", approval: "never" },
        { name: "send_mail", tool: "mail", approval: "always" },
      ],
    });
    expect(said.first_request.native).toContain('"Task: Answer <question>');
    expect(said.first_request.native).toContain('"name": "send_mail"');
    expect(said.first_request.text).toContain("<tool_call>");
    expect(out).not.toContain("hidden-sender");
    expect(asked()).toEqual([]);
  });

  it("that is not there, or whose action is not, is an error that says what there is", async () => {
    const wrong = await runPostel(["agent", "explain", "support", "--action", "tickets", "--config", config]);
    expect([wrong.status, wrong.err]).toEqual([1, expect.stringContaining("ticket, quick")]);
  });
});

describe("a run that is dry", () => {
  it("shows the very request that a run sends first, and sends none", async () => {
    const args = [
      "run",
      "--agent",
      "support",
      "--action",
      "quick",
      "--input",
      '{"question": "Hm?"}',
      "--config",
      config,
    ];
    const dry = await runPostel([...args, "--dry-run"]);
    expect([dry.status, asked()]).toEqual([0, []]);
    const wet = await runPostel(args);
    expect([wet.status, wet.out]).toEqual([0, "Done.\n"]);
    const [, ...body] = dry.out.split("\n");
    expect(asked().map((request) => request.body)).toEqual([JSON.parse(body.join("\n"))]);
  });

  it("of nothing, or of an input that is none, is refused", async () => {
    const nothing = await runPostel(["run", "--dry-run", "--config", config]);
    const broken = await runPostel([
      "run",
      "--agent",
      "support",
      "--action",
      "quick",
      "--input",
      "[1]",
      "--config",
      config,
    ]);
    expect([nothing.status, nothing.err]).toEqual([1, expect.stringContaining("There is nothing to do")]);
    expect([broken.status, broken.err]).toEqual([
      1,
      expect.stringContaining("--input: expected name=value, a JSON object or @file"),
    ]);
  });
});

describe("an agent with tools of a server", () => {
  it("is explained without them, which is said, since no server is asked", async () => {
    const file = join(folder, "served.yaml");
    const agent = "{ id: clerk, model: m, tools: [calculator, papers, tickets.search] }";
    const servers =
      "{ id: papers, type: mcp, command: [node, nothing.js] }, { id: tickets, type: mcp, url: https://tickets.example/mcp }";
    writeFileSync(
      file,
      `upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]\ncomponents: [${servers}]\nagents: [${agent}]\n`,
    );
    const { status, out, err } = await runPostel(["agent", "explain", "clerk", "--json", "--config", file]);
    expect({ status, errors: err.trimEnd().split("\n") }).toEqual({
      status: 0,
      errors: ["papers", "tickets"].map(
        (id) => `${id} (mcp) lists its tools only when it is asked: postel tools --connect`,
      ),
    });
    expect(JSON.parse(out)).toMatchObject({ tools: [{ name: "calculator" }], unlisted: ["papers", "tickets.search"] });
    const dry = await runPostel(["run", "Hello", "--agent", "clerk", "--dry-run", "--config", file]);
    expect([dry.status, dry.out.includes("calculator")]).toEqual([0, true]);
  });
});
