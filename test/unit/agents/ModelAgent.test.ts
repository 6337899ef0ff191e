// The agent with a way of prompting that a test writes: what goes up is the prompt's, what comes is read alike whoever asked.
import { describe, expect, it } from "@jest/globals";
import type { AttemptConversation, AttemptEvent } from "../../../src/agents/Agent.ts";
import { ModelAgent } from "../../../src/agents/ModelAgent.ts";
import type { Prompt } from "../../../src/agents/prompting/Prompt.ts";
import { createFailure, type Failure } from "../../../src/core/failures.ts";
import type { ToolMode } from "../../../src/core/messages.ts";
import type { Observation } from "../../../src/core/ports.ts";
import { ModelCapabilityDetector } from "../../../src/models/capabilities/ModelCapabilityDetector.ts";
import { chat, listOf, never } from "../../support/agents/gateway.ts";
import { pulled } from "../../support/events.ts";
import { NO_EVIDENCE } from "../../support/noEvidence.ts";
import { ScriptedModel, type Step, says } from "../../support/ScriptedModel.ts";

const CAPABILITIES = new ModelCapabilityDetector({
  operator: [],
  shipped: [],
  evidence: NO_EVIDENCE,
}).detect({ model: "m", key: "test/m" });
const FORM = { type: "object" };
const LEAK = '<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>';

/** An agent whose prompt a test writes. */
class PromptedAgent extends ModelAgent {
  protected async prompt({ output }: AttemptConversation): Promise<Prompt> {
    return {
      messages: [{ role: "user", content: "the prompt of the test" }],
      tools: [],
      toolChoice: { type: "none" },
      sampling: {},
      output,
      callForm: FORM,
    };
  }
}

function agent(toolMode: ToolMode, ...steps: readonly Step[]) {
  const client = new ScriptedModel(...steps);
  const observed: Observation[] = [];
  const options = {
    route: { model: "m-at-its-upstream", client },
    capabilities: CAPABILITIES,
    ids: { callId: () => "drawn" },
    captureChars: 262_144,
    clock: { monotonic: () => performance.now() },
    observer: { observe: (one: Observation) => observed.push(one) },
  };
  const one = new PromptedAgent(toolMode, options);
  const attempt = (): Promise<readonly AttemptEvent[]> =>
    listOf(
      pulled((take) =>
        one.attempt(chat({ tools: [{ name: "search" }], passthrough: { seed: 7 }, stream: true }), never, take),
      ),
    );
  return { client, attempt, one, observed };
}

function refused(code: Failure["code"]): Step {
  return [{ type: "failed", failure: createFailure(code, "No.") }];
}

describe("ModelAgent", () => {
  it("sends the prompt, the resolved model and the fields of the caller", async () => {
    const { client, attempt } = agent("text", says("Hello."));
    await attempt();
    expect(client.requests).toMatchObject([
      {
        run: "req1",
        model: "m-at-its-upstream",
        messages: [{ role: "user", content: "the prompt of the test" }],
        tools: [],
        callForm: FORM,
        passthrough: { seed: 7 },
        stream: true,
      },
    ]);
  });

  it.each(["native", "text"] as const)(
    "reads a call out of the text of an answer, asked in the mode %s",
    async (toolMode) => {
      const events = await agent(toolMode, says(LEAK)).attempt();
      expect(events).toMatchObject([
        { type: "opened" },
        { type: "call", call: { id: "drawn", name: "search" } },
        { type: "end" },
      ]);
    },
  );

  it("says once how long the text of an answer was parsed, and nothing of one that had none", async () => {
    const { attempt, observed } = agent("text", says(LEAK), refused("upstream_timeout"));
    await attempt();
    await attempt();
    expect(observed).toEqual([{ type: "parsed", run: "req1", ms: expect.any(Number) }]);
  });

  it("emulates a format in text mode only", () => {
    expect(agent("text").one.emulate).toBe("hermes-json");
    expect(agent("native").one.emulate).toBeUndefined();
  });

  it("asks without the form that an upstream refuses, which counts as a retry, and does not send the form again", async () => {
    const { client, attempt } = agent("text", refused("upstream_refused"), says("Yes."), says("Yes."));
    expect(await attempt()).toMatchObject([{ type: "opened", retries: 1 }, { type: "text" }, { type: "end" }]);
    expect(await attempt()).toMatchObject([{ type: "opened", retries: 0 }, { type: "text" }, { type: "end" }]);
    expect(client.requests.map(({ callForm }) => callForm)).toEqual([FORM, undefined, undefined]);
  });

  it("takes no other failure for a refusal of the form", async () => {
    const { client, attempt } = agent("text", refused("upstream_timeout"));
    expect(await attempt()).toMatchObject([{ type: "failed", failure: { code: "upstream_timeout" } }]);
    expect(client.requests).toHaveLength(1);
  });
});
