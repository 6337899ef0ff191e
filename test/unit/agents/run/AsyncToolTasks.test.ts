// Tasks of a run that goes on from a saved state: an outcome that is known is told, one that is not is said to be unknown, and nothing is begun twice.
import { expect, it } from "@jest/globals";
import { NO_JOURNAL } from "../../../../src/agents/run/Journal.ts";
import type { RunState } from "../../../../src/core/runs/RunState.ts";
import type { JournaledCall } from "../../../../src/core/stores/RunStore.ts";
import type { Tool } from "../../../../src/tools/Tool.ts";
import { AGENT, chat, gateway, listOf, never, tool } from "../../../support/agents/gateway.ts";
import { calls, ScriptedModel, says } from "../../../support/ScriptedModel.ts";

const REPORT = { name: "report", arguments: '{"q":"sales"}' };
const AGENTS = [{ ...AGENT, tools: [{ tool: "report" }] }];

/** The state that was saved when the task had begun and its turn was over. */
async function begun(report: Tool): Promise<RunState> {
  const saved: string[] = [];
  const turned = async (state: RunState): Promise<void> => void saved.push(JSON.stringify(state));
  const model = new ScriptedModel(calls(REPORT), says("Begun."), says("Done."));
  const testGateway = gateway(model, {
    tools: [report],
    agents: AGENTS,
    journal: { ...NO_JOURNAL, recordTurn: turned },
  });
  await listOf(testGateway.runner.run({ chat: chat() }, never));
  return JSON.parse(saved[0] ?? "") as RunState;
}

async function goOn(state: RunState, report: Tool, journalled: readonly JournaledCall[]) {
  const model = new ScriptedModel(says("Done."), says("Done."));
  const testGateway = gateway(model, { tools: [report], agents: AGENTS });
  const events = await listOf(testGateway.runner.proceed(state, { begun: journalled }, never));
  return { ended: events.filter(({ type }) => type === "task-end"), read: JSON.stringify(model.requests.at(-1)) };
}

function counted(more: Partial<Tool> = {}) {
  let ran = 0;
  const report: Tool = {
    ...tool("report", () => {
      ran += 1;
      return "42 pages";
    }),
    async: true,
    ...more,
  };
  return { report, ran: () => ran };
}

it("AsyncToolTasks: a task whose outcome nobody knows is told as unknown, and not begun again", async () => {
  const { report, ran } = counted();
  const state = await begun(report);
  expect(state.tasks).toMatchObject([{ call: { name: "report" } }]);
  const { ended, read } = await goOn({ ...state, tasks: state.tasks?.map(({ call }) => ({ call })) }, report, []);
  expect(ended).toMatchObject([{ isError: true, content: expect.stringContaining("not known") }]);
  expect(read).toContain("not begun again");
  expect(ran()).toBe(1);
});

it("AsyncToolTasks: a task whose outcome stands in the journal is told it", async () => {
  const { report, ran } = counted();
  const state = await begun(report);
  const callId = state.tasks?.[0]?.call.id ?? "";
  const result = { callId, name: "report", content: "42 pages", isError: false };
  const tasks = state.tasks?.map(({ call }) => ({ call }));
  const { ended } = await goOn({ ...state, tasks }, report, [{ callId, result }]);
  expect(ended).toMatchObject([{ isError: false, content: "42 pages" }]);
  expect(ran()).toBe(1);
});

it("AsyncToolTasks: a task that may be done twice is begun again", async () => {
  const { report, ran } = counted({ idempotent: true });
  const state = await begun(report);
  const { ended } = await goOn({ ...state, tasks: state.tasks?.map(({ call }) => ({ call })) }, report, []);
  expect(ended).toMatchObject([{ isError: false, content: "42 pages" }]);
  expect(ran()).toBe(2);
});
