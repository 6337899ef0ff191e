// A number with a fraction where a tool's schema says `integer`: asked again, unless the operator's row lets it pass.
import { describe, expect, it } from "@jest/globals";
import type { ToolSpec } from "../../../src/core/messages.ts";
import { chat, gateway, never } from "../../support/agents/gateway.ts";
import { collect } from "../../support/events.ts";
import { calls, ScriptedModel, type Step, says } from "../../support/ScriptedModel.ts";

const ORDER: ToolSpec = {
  name: "order",
  parameters: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
};
const LENIENT = [{ match: ["*"], fractions: "pass", why: "the tools' authors mean any number" }] as const;

const native = (count: string): Step => calls({ name: "order", arguments: `{"count":${count}}` });
const text = (count: string): Step =>
  says(`<tool_call>\n{"name": "order", "arguments": {"count": ${count}}}\n</tool_call>`);

async function made(model: string, steps: readonly Step[], operatorRows: typeof LENIENT | readonly [] = []) {
  const scripted = new ScriptedModel(...steps);
  const { runner } = gateway(scripted, { operatorRows });
  const { calls: left } = await collect(runner.complete(chat({ model, tools: [ORDER] }), never));
  scripted.verify();
  return left.map((call) => JSON.parse(call.arguments));
}

describe.each([
  ["m", native],
  ["text", text],
])("a model called %s that orders 2.5 pieces", (model, order) => {
  it("is asked again, and 2.0 pieces are 2", async () => {
    expect(await made(model, [order("2.5"), order("2.0")])).toEqual([{ count: 2 }]);
  });

  it("orders them where the operator's row says so", async () => {
    expect(await made(model, [order("2.5")], LENIENT)).toEqual([{ count: 2.5 }]);
  });
});
