import { describe, expect, it } from "@jest/globals";
import { opensInReasoning } from "../../../../src/agents/prompting/startsInReasoning.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";
import type { ReasoningOpened } from "../../../../src/core/models/capabilities.ts";

describe("reasoningOpened", () => {
  const on = { chat_template_kwargs: { enable_thinking: true } };
  const off = { chat_template_kwargs: { thinking: false } };
  const cases: readonly [string, ReasoningOpened, JsonObject, boolean][] = [
    ["a row that always opens", "always", {}, true],
    ["a request that switches it off", "always", off, false],
    ["a row that never opens, whatever is asked", "never", on, false],
    ["a row that leaves it to a request that says nothing", "by-request", {}, false],
    ["a request that switches it on", "by-request", on, true],
    ["an effort", "by-request", { reasoning_effort: "low" }, true],
    ["an effort of none", "by-request", { reasoning_effort: "none" }, false],
    ["a switch that outranks an effort", "by-request", { ...off, reasoning_effort: "high" }, false],
    ["template fields of another kind", "by-request", { chat_template_kwargs: ["enable_thinking"] }, false],
  ];
  it.each(cases)("%s", (_title, opened, passthrough, expected) => {
    expect(opensInReasoning({ interleaved: false, opened }, passthrough)).toBe(expected);
  });
});
