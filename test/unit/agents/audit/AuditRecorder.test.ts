// What the loop tells to the record, and what it does not do where it cannot: effects wait for the record, and stop with it.
import { describe, expect, it } from "@jest/globals";
import { NO_JOURNAL } from "../../../../src/agents/run/Journal.ts";
import type { RunEvent } from "../../../../src/core/events/events.ts";
import type { RunState } from "../../../../src/core/runs/RunState.ts";
import type { Tool } from "../../../../src/tools/Tool.ts";
import { AGENT, chat, gateway, listOf, never, tool } from "../../../support/agents/gateway.ts";
import { Notebook } from "../../../support/audit/Notebook.ts";
import { calls, ScriptedModel, type Step, says } from "../../../support/ScriptedModel.ts";

const ASK = (q: string) => ({ name: "search", arguments: JSON.stringify({ q }) });
const SEARCH: Tool = { ...tool("search", ({ q }) => `${String(q)} is there.`), idempotent: true };

async function play(notebook: Notebook, steps: readonly Step[], tools: readonly Tool[] = [SEARCH]) {
  const model = new ScriptedModel(...steps);
  const agents = [{ ...AGENT, tools: tools.map(({ spec }) => ({ tool: spec.name })) }];
  const testGateway = gateway(model, { tools, agents, auditRecorder: notebook.auditRecorder });
  const events = await listOf(testGateway.runner.run({ chat: chat() }, never));
  return { model, events };
}

function failureIn(events: readonly RunEvent[]) {
  return events.find((event) => event.type === "turn-failed")?.failure;
}

describe("AuditRecorder: the calls of a turn", () => {
  it("are written at once, and before the first of them runs", async () => {
    const notebook = new Notebook();
    const seen: number[] = [];
    const look = tool("search", () => {
      seen.push(notebook.events.filter(({ type }) => type === "tool-began").length);
      return "there";
    });
    await play(notebook, [calls(ASK("a"), ASK("b"), ASK("c"), ASK("d"), ASK("e")), says("Done.")], [look]);
    expect(seen).toEqual([5, 5, 5, 5, 5]);
    expect(notebook.writes[0]).toHaveLength(5);
    expect(notebook.throughs).toBe(1);
    expect(notebook.sentences.filter((said) => said === "search ends: ok")).toHaveLength(5);
  });

  it("do not run where that cannot be written: the run fails, and its model is told nothing", async () => {
    const notebook = new Notebook();
    notebook.isFull = true;
    let ran = 0;
    const { model, events } = await play(
      notebook,
      [calls(ASK("a")), says("It is done.")],
      [
        tool("search", () => {
          ran += 1;
          return "there";
        }),
      ],
    );
    expect(ran).toBe(0);
    expect(model.requests).toHaveLength(1);
    expect(failureIn(events)).toMatchObject({
      code: "run_not_saved",
      message: expect.stringMatching(/audit record.*tools were not run.*no room left/),
    });
    expect(events.some(({ type }) => type === "tool-start" || type === "tool-result")).toBe(false);
  });

  it("that have run are told to the model though their end could not be written, which is written before the next one runs", async () => {
    const notebook = new Notebook();
    const flaky = tool("search", ({ q }) => {
      notebook.isFull = q === "a";
      return "there";
    });
    const { model } = await play(notebook, [calls(ASK("a")), calls(ASK("b")), says("Done.")], [flaky]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("there");
    expect(notebook.failures).toMatchObject([{ code: "run_not_saved" }]);
    // The second turn's call could not be written either: nothing else ran.
    expect(notebook.sentences).toEqual(['search begins: {"q":"a"}']);
    notebook.isFull = false;
    await play(notebook, [calls(ASK("c")), says("Done.")]);
    expect(notebook.sentences).toEqual([
      'search begins: {"q":"a"}',
      "search ends: ok",
      'search begins: {"q":"c"}',
      "search ends: ok",
    ]);
  });

  it("that only repeat one of the turn, or that no tool takes, begin nothing", async () => {
    const notebook = new Notebook();
    await play(notebook, [calls(ASK("a"), ASK("a")), says("Done.")]);
    expect(notebook.sentences).toEqual(['search begins: {"q":"a"}', "search ends: ok"]);
  });
});

it("AuditRecorder: what is owed while nothing can be written is bounded, and said once", async () => {
  const notebook = new Notebook();
  notebook.isFull = true;
  const word = { decision: { type: "cancel" }, decidedBy: "ada" } as const;
  for (let n = 0; n < 1_500; n += 1)
    await notebook.auditRecorder.recordRefusal({ owner: "ada", id: `q${n}` }, word, "interrupt_not_found");
  expect(notebook.failures).toHaveLength(1);
  notebook.isFull = false;
  await notebook.auditRecorder.cancelling({ owner: "ada", id: "r1" });
  expect(notebook.events).toHaveLength(1_001);
  expect(notebook.events[0]).toMatchObject({ interrupt: "q500" });
  expect(notebook.events.at(-1)).toMatchObject({ type: "cancel-asked" });
});

describe("AuditRecorder: a run that goes on elsewhere", () => {
  /** Its state as it was saved when its call began. */
  async function begun(search: Tool): Promise<RunState> {
    const saved: RunState[] = [];
    const begin = async (state: RunState): Promise<void> => void saved.push(state);
    const model = new ScriptedModel(calls(ASK("a")), says("Done."));
    const agents = [{ ...AGENT, tools: [{ tool: "search" }] }];
    const testGateway = gateway(model, { tools: [search], agents, journal: { ...NO_JOURNAL, begin } });
    await listOf(testGateway.runner.run({ chat: chat() }, never));
    return JSON.parse(JSON.stringify(saved[0])) as RunState;
  }

  async function goOn(search: Tool, result?: string): Promise<readonly string[]> {
    const state = await begun(search);
    const callId = state.open?.execute[0]?.id ?? "";
    const known = result === undefined ? {} : { result: { callId, name: "search", content: result, isError: false } };
    const notebook = new Notebook();
    const agents = [{ ...AGENT, tools: [{ tool: "search" }] }];
    const testGateway = gateway(new ScriptedModel(says("Done.")), {
      tools: [search],
      agents,
      auditRecorder: notebook.auditRecorder,
    });
    await listOf(testGateway.runner.proceed(state, { begun: [{ callId, ...known }] }, never));
    return notebook.sentences;
  }

  it("says that a call was lost, and that it begins once more where it may", async () => {
    expect(await goOn(SEARCH)).toEqual(["search is lost", 'search begins: {"q":"a"}', "search ends: ok"]);
  });

  it("says that a call was lost, and asks where it may not begin once more", async () => {
    expect(await goOn(tool("search", () => "there"))).toEqual(["search is lost"]);
  });

  it("says nothing of a call whose outcome is known", async () => {
    expect(await goOn(SEARCH, "there")).toEqual([]);
  });
});

describe("AuditRecorder: a task", () => {
  const report: Tool = { ...tool("report", () => "42 pages"), async: true };

  it("begins with its turn and ends with its work", async () => {
    const notebook = new Notebook();
    const { events } = await play(
      notebook,
      [calls({ name: "report", arguments: "{}" }), says("Begun."), says("Done.")],
      [report],
    );
    expect(events.some(({ type }) => type === "task-end")).toBe(true);
    expect(notebook.sentences).toEqual(["report begins: {}", "report ends: ok"]);
  });

  it("that is one too many ends without having begun its work", async () => {
    const notebook = new Notebook();
    const hangs: Tool = {
      ...report,
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("late")))),
      timeoutMs: 50,
    };
    const nine = Array.from({ length: 9 }, (_, n) => ({ name: "report", arguments: JSON.stringify({ n }) }));
    await play(notebook, [calls(...nine), says("Begun."), says("Done.")], [hangs]);
    expect(notebook.sentences.filter((said) => said.startsWith("report begins"))).toHaveLength(9);
    expect(notebook.sentences.filter((said) => said === "report ends: failed")).toHaveLength(1);
    expect(notebook.sentences.filter((said) => said === "report ends: timeout")).toHaveLength(8);
  });
});
