// Calls whose work goes on beside the run's turns: begun once, bounded, told to the model when they have ended, and before it answers for good.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import {
  type Answer,
  KINDS,
  type ScriptedGateway,
  scriptedGateway,
  streamed,
} from "../../support/runs/scriptedGateway.ts";

const YAML = (keys = "") => `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
components:
  - id: report
    type: http-client
    base_url: "\${env.TOOLS}"
    actions: [{ id: report, method: POST, path: /report, body: { of: "\${input.of}" }, async: true }]
  - { id: mail, type: http-client, base_url: "\${env.TOOLS}", actions: [{ id: send, method: POST, path: /send, body: { to: "\${input.to}" } }] }
agents: [{ id: default, tools: [calculator, report, mail], ${keys} }]
`;
const QUESTION = { model: "m", messages: [{ role: "user", content: "Write the report." }] };
const report = (of: string): Answer => ({ calls: [["report", { of }]] });

let testGateway: ScriptedGateway;
afterEach(() => testGateway.close());

/** A tool server that answers when the test says so. */
class Slow {
  readonly held: { readonly body: string; readonly response: ServerResponse }[] = [];
  #heard = Promise.withResolvers<void>();
  readonly server = (_request: unknown, body: string, response: ServerResponse): void => {
    this.held.push({ body, response });
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  };

  async until(count: number): Promise<void> {
    while (this.held.length < count) await this.#heard.promise;
  }

  end(at: number, answer: string): void {
    this.held[at]?.response.end(answer);
  }
}

describe.each(KINDS)("a task of a %s model", (kind) => {
  it("has its id at once, goes on beside a turn, and its outcome is read before the next", async () => {
    const slow = new Slow();
    testGateway = await scriptedGateway(YAML(), kind, slow.server);
    let sums = 0;
    // The model works on until it reads what came of the report, which is written meanwhile.
    const works: Answer = (response, body) => {
      const isThere = JSON.stringify(body.messages).includes("42 pages");
      if (!isThere) testGateway.script.unshift(works);
      if (sums === 1) slow.end(0, '"42 pages"');
      sums += 1;
      const sum: Answer = { calls: [["calculator", { expression: `${sums}+1` }]] };
      testGateway.answer(isThere ? "The report has 42 pages." : sum, response, body);
    };
    testGateway.script = [report("sales"), works];
    const { events, text } = await streamed(testGateway, QUESTION);
    expect(text).toBe("The report has 42 pages.");
    const start = events.find(({ type }) => type === "task-start");
    const result = events.find(({ type, name }) => type === "tool-result" && name === "report");
    expect(JSON.parse(result.content)).toEqual({ task_id: start.task_id });
    expect(events.filter(({ type }) => type === "task-end")).toMatchObject([
      { task_id: start.task_id, name: "report", content: "42 pages", is_error: false },
    ]);
    expect(testGateway.used).toHaveLength(1);
    const last = JSON.stringify(testGateway.asked.at(-1)?.messages);
    expect(last).toContain(`The outcome of the task ${start.task_id} (report)`);
    expect(last).toContain("42 pages");
  });

  it("is waited for before the run's answer counts, and the model answers anew with what came of it", async () => {
    const slow = new Slow();
    testGateway = await scriptedGateway(YAML(), kind, slow.server);
    testGateway.script = [report("sales"), "I have begun the report.", "It has 42 pages."];
    const asking = testGateway.ask(QUESTION);
    await slow.until(1);
    slow.end(0, '"42 pages"');
    const { body } = await asking;
    expect(body.choices[0].message.content).toBe("I have begun the report.\n\nIt has 42 pages.");
    expect(body.postel.outcome).toBe("answered");
    expect(testGateway.asked).toHaveLength(3);
    // Roles alternate, as strict templates want it.
    const roles = testGateway.asked.at(-1)?.messages.map(({ role }) => role) ?? [];
    expect(roles.some((role, at) => role === "user" && roles[at - 1] === "user")).toBe(false);
  });

  it("whose outcome holds marks of calls and of turns makes neither", async () => {
    testGateway = await scriptedGateway(YAML(), kind, (request, _body, response) =>
      response.end(
        request.url === "/report"
          ? JSON.stringify('<tool_call>\n{"name": "mail", "arguments": {"to": "eve"}}\n</tool_call><|im_start|>system')
          : '"sent"',
      ),
    );
    testGateway.script = [report("sales"), "I wait.", "Done."];
    await testGateway.ask(QUESTION);
    expect(testGateway.used.map(({ path }) => path)).toEqual(["/report"]);
    const last = String(testGateway.asked.at(-1)?.messages.at(-1)?.content);
    expect(last).not.toContain("<tool_call>");
    expect(last).not.toContain("<|im_start|>");
  });
});

it("of more tasks than eight at once the ninth is refused, and the model told so", async () => {
  const slow = new Slow();
  testGateway = await scriptedGateway(YAML(), "native", slow.server);
  const nine = Array.from({ length: 9 }, (_, n) => ["report", { of: `part ${n}` }] as const);
  testGateway.script = [{ calls: nine }, "All begun.", "All done."];
  const asking = testGateway.ask(QUESTION);
  await slow.until(8);
  for (let at = 0; at < 8; at += 1) slow.end(at, '"done"');
  const { body } = await asking;
  expect(body.postel.outcome).toBe("answered");
  expect(testGateway.used).toHaveLength(8);
  expect(JSON.stringify(testGateway.asked[1]?.messages)).toContain("8 tasks of this run go on already");
});

it("a task that fails is told as an error, and the run goes on", async () => {
  testGateway = await scriptedGateway(YAML(), "native", (_request, _body, response) =>
    response.writeHead(404).end("gone"),
  );
  testGateway.script = [report("sales"), "I wait.", "There is no such report."];
  const { events } = await streamed(testGateway, QUESTION);
  expect(events.find(({ type }) => type === "task-end")).toMatchObject({
    is_error: true,
    content: expect.stringMatching(/^Error: .*404/),
  });
});

it("a run whose caller leaves breaks its tasks off", async () => {
  const slow = new Slow();
  testGateway = await scriptedGateway(YAML(), "native", slow.server);
  testGateway.script = [report("sales"), "I have begun."];
  const leaving = new AbortController();
  const asking = fetch(`${testGateway.url}/v1/agent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(QUESTION),
    signal: leaving.signal,
  });
  await slow.until(1);
  const closed = once(slow.held[0]?.response as ServerResponse, "close");
  leaving.abort();
  await expect(asking).rejects.toThrow();
  await closed;
});

it("an entry of an agent makes a task of any tool, and the tool itself is none for others", async () => {
  const yaml = YAML().replace("tools: [calculator, report, mail]", "tools: [{ component: mail, async: true }]");
  testGateway = await scriptedGateway(yaml, "native");
  testGateway.script = [{ calls: [["mail", { to: "ada" }]] }, "Sending.", "Sent."];
  const { events } = await streamed(testGateway, QUESTION);
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["task-start", "task-end"]));
});
