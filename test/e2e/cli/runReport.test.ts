// What `postel run` leaves behind once it is over: the answer or one JSON object on standard output, the outcome as its exit status.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { OUTCOMES } from "../../../src/core/runs/outcomes.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";

const sum = (expression: string) =>
  `<tool_call>${JSON.stringify({ name: "calculator", arguments: { expression } })}</tool_call>`;

let folder: string;
let upstream: FakeUpstream;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-report-"));
  let asked = 0;
  upstream = await FakeUpstream.start(({ path, body }, response) => {
    if (path.endsWith("/models")) return void response.end('{"data": [{"id": "works"}]}');
    const before = body.messages.filter(({ role }) => role === "tool").length;
    asked += 1;
    switch (body.model) {
      case "works":
        return sendText(response, before === 0 ? `I add.\n\n${sum("1 + 1")}` : "It is 2.\n\n\n");
      case "goes-on":
        return sendText(response, sum(`1 + ${asked}`));
      case "repeats":
        return sendText(response, sum("1 + 1"));
      case "is-silent":
        return sendText(response, "");
      case "refuses":
        return sendError(response, 400, "this prompt is not to my taste");
      default:
        return;
    }
  });
  const agents = [
    "{ id: default, tools: [calculator] }",
    "{ id: two-turns, tools: [calculator], max_iterations: 2 }",
    "{ id: hasty, timeout_ms: 300 }",
  ];
  writeFileSync(
    join(folder, "postel.yaml"),
    `upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]\nretries: { attempts: 1 }\nlimits: { run: { max_calls: 2 } }\nagents: [${agents.join(", ")}]\n`,
  );
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: readonly string[]) => runPostel(["run", "Go", "--config", join(folder, "postel.yaml"), ...args]);

describe("standard output", () => {
  it("has the answer alone, which ends in one end of a line; what went on is told beside it", async () => {
    const { status, out, err } = await run("--model", "works");
    expect([status, out]).toEqual([0, "I add.\n\nIt is 2.\n"]);
    expect(err).toMatch(/^· calculator \{"expression":"1 \+ 1"\} \(hermes-json\)\n· calculator → 2 \(\d+ ms\)\n$/);
  });

  it("has nothing where nothing was said, and standard error nothing where it is to be quiet", async () => {
    expect(await run("--model", "is-silent", "--quiet")).toEqual({ status: 3, out: "", err: "" });
    expect(await run("--model", "works", "--quiet")).toMatchObject({ status: 0, err: "" });
    expect(await run("--model", "refuses", "--quiet")).toMatchObject({
      status: 1,
      err: expect.stringMatching(/^· failed: /),
    });
  });

  it("has one object with --json: what was said, by whom, and how", async () => {
    const { status, out } = await run("--model", "works", "--json");
    expect([status, out.endsWith("}\n")]).toEqual([0, true]);
    expect(JSON.parse(out)).toMatchObject({
      ...{
        answer: expect.stringMatching(/^I add\.\s+It is 2\.\s*$/),
        outcome: "answered",
        agent: "default",
        model: "works",
      },
      ...{
        run_id: expect.stringMatching(/./),
        formats: ["hermes-json"],
        repairs: [],
        attempts: 2,
        spent: { calls: 1 },
      },
      calls: [
        {
          ...{ name: "calculator", arguments: '{"expression":"1 + 1"}', origin: "hermes-json" },
          ...{ ms: expect.any(Number), is_error: false },
        },
      ],
    });
  });

  it.each([
    ["a configuration that is not there", ["--config", "/nowhere/postel.yaml"], "invalid_configuration"],
    ["an input that is none", ["--input", "x"], "invalid_request"],
  ])("has one object with --json for %s too", async (_what, args, code) => {
    const { status, out, err } = await run("--model", "works", "--json", ...args);
    expect(status).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ...{ answer: null, outcome: "failed", calls: [] },
      failure: { code, message: expect.stringMatching(/./) },
    });
    expect(err.trim()).not.toBe("");
  });
});

// A run in the terminal has no tools of a client's, so that none is handed over; what a person decides, and a signal, have tests of their own.
describe("the outcome of a run", () => {
  it.each([
    ["answered", ["--model", "works"]],
    ["failed", ["--model", "refuses"]],
    ["no-answer", ["--model", "is-silent"]],
    ["max-turns", ["--model", "goes-on", "--agent", "two-turns"]],
    ["repeats", ["--model", "repeats"]],
    ["budget", ["--model", "goes-on"]],
    ["timeout", ["--model", "never-answers", "--agent", "hasty"]],
  ] as const)("%s is its exit status", async (outcome, args) => {
    const { status, out } = await run(...args, "--json");
    const report = JSON.parse(out) as { readonly outcome: string; readonly failure?: { readonly code: string } };
    expect([report.outcome, status]).toEqual([outcome, OUTCOMES[outcome].exitCode]);
    expect(report.failure?.code).toBe(outcome === "failed" ? "upstream_refused" : undefined);
  });
});
