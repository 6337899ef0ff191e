// How the calls of one turn are judged without keeping the event loop.
import { describe, expect, it } from "@jest/globals";
import { type Planning, planCalls } from "../../../../src/agents/calls/planCalls.ts";
import { YIELD } from "../../../../src/core/async/yieldToEventLoop.ts";
import type { ToolCall } from "../../../../src/core/messages.ts";
import { CallKeys } from "../../../../src/core/runs/callKey.ts";
import type { Tool } from "../../../../src/tools/Tool.ts";

const parameters = { type: "object", properties: { sql: { type: "string", format: "sql" } } };
const QUERY: Tool = { spec: { name: "query", description: "", parameters }, execute: async () => "" };

function planning(): Planning {
  return {
    tools: { get: () => QUERY },
    allowance: { limit: 1_000, key: "calls_per_turn" },
    ...{ taken: 0, executedCalls: [], executed: [], decided: new Map(), startedCalls: new Map(), nested: new Set() },
    ...{ edited: new Set(), wary: false, rejections: [], unagreed: new Map(), interactive: true, mostAsked: 16 },
    keys: new CallKeys(),
  };
}

function calls(count: number, sql: (index: number) => string): readonly ToolCall[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ id: `call${index}`, name: "query", origin: "native", repairs: [], raw: "" },
    arguments: JSON.stringify({ sql: sql(index) }),
  }));
}

function run(calls: readonly ToolCall[]) {
  const steps = planCalls(calls, planning());
  let yields = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return { yields, plans: step.value };
    expect(step.value).toBe(YIELD);
    yields += 1;
  }
}

describe("planCalls", () => {
  it.each([
    ["25 calls of 40,000 characters of SQL", 25, 39_000],
    ["60 calls of 1,600 characters that every database reads differently", 60, 1_600],
    ["300 calls of 3,000 characters", 300, 3_000],
  ])("yields between %s", (_, count, length) => {
    const { yields, plans } = run(calls(count, (index) => `SELECT ${index}; ${"SELECT 1; ".repeat(length / 10)}`));
    expect(yields).toBeGreaterThanOrEqual(count / 2 - 1);
    expect(plans.map(({ type }) => type)).toEqual(Array(count).fill("run"));
  });

  it("does not yield where calls are few and short", () => {
    const { yields, plans } = run(calls(20, (index) => `SELECT ${index}`));
    expect([yields, plans.length]).toEqual([0, 20]);
  });

  it("has each dangerous call asked about, in the order of the calls", () => {
    const { plans } = run(
      calls(10, (index) => `${index % 2 ? "DROP TABLE" : "SELECT * FROM"} t${index} ${" ".repeat(3_000)}`),
    );
    expect(plans.map(({ type }) => type)).toEqual(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? "ask" : "run")),
    );
  });
});
