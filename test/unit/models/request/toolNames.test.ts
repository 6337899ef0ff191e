// Names of tools and ids of calls that an upstream would refuse: what it is told instead, and back.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { applyQuirks } from "../../../../src/models/request/quirks.ts";
import { listRenamedTools } from "../../../../src/models/request/toolNames.ts";
import { runsOf } from "../../../support/sample.ts";

const RULES = {
  "names-64": /^[a-zA-Z0-9_-]{1,64}$/,
  "names-gemini": /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
} as const;

function bodyOf(names: readonly string[]): JsonObject {
  return {
    messages: [
      ...names.map((name, at) => ({
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${at}`, type: "function", function: { name, arguments: "{}" } }],
      })),
      ...names.map((name, at) => ({ role: "tool", tool_call_id: `c${at}`, name, content: "ok" })),
    ],
    tools: names.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } })),
    tool_choice: { type: "function", function: { name: names[0] ?? "" } },
  };
}

interface Named {
  readonly messages: readonly { name?: string; tool_calls?: readonly { function: { name: string } }[] }[];
  readonly tools: readonly { function: { name: string } }[];
  readonly tool_choice: { function: { name: string } };
}

function shown(names: readonly string[], rule: keyof typeof RULES = "names-64"): readonly string[] {
  const { tools } = applyQuirks(bodyOf(names), [rule]) as unknown as Named;
  return tools.map((tool) => tool.function.name);
}

const names = fc.uniqueArray(fc.stringMatching(/^[\w.:/-]{1,128}$/), { minLength: 1, maxLength: 12 });
const clashing = fc.uniqueArray(fc.stringMatching(/^[ab_][._:/-][ab_]$/), { minLength: 1, maxLength: 12 });

describe.each(Object.entries(RULES))("names by the rule %s", (id, legal) => {
  const rule = id as keyof typeof RULES;

  it("are legal, no two alike, and found again, for whatever tools there are", () => {
    const property = fc.property(fc.oneof(names, clashing), (own) => {
      const told = shown(own, rule);
      expect(told.filter((name) => !legal.test(name))).toEqual([]);
      expect(new Set(told).size).toBe(own.length);
      const tools = own.map((name) => ({ name }));
      const back = new Map(
        listRenamedTools(tools, applyQuirks(bodyOf(own), [rule])).map((one) => [one.shown, one.name]),
      );
      expect(told.map((name) => back.get(name) ?? name)).toEqual(own);
    });
    fc.assert(property, { numRuns: runsOf(300) });
  });

  it("are the same in tools, history, results and choice", () => {
    const own = ["1.a", "fs.read", "fs/read", "x".repeat(100)];
    const { messages, tools, tool_choice: choice } = applyQuirks(bodyOf(own), [rule]) as unknown as Named;
    const told = tools.map((tool) => tool.function.name);
    expect(messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.name))).toEqual(told);
    expect(messages.flatMap(({ name }) => name ?? [])).toEqual(told);
    expect(choice.function.name).toBe(told[0]);
  });

  it("do not depend on the order of the tools", () => {
    const property = fc.property(clashing, (own) => {
      const turned = own.toReversed();
      expect(shown(turned, rule).toReversed()).toEqual(shown(own, rule));
    });
    fc.assert(property, { numRuns: runsOf(200) });
  });
});

describe("a name", () => {
  it("that is legal stays, and whose it is nobody else's becomes", () => {
    expect(shown(["fs_read", "fs.read", "fs.write"])).toEqual([
      "fs_read",
      expect.stringMatching(/^fs_read_[0-9a-f]{8}$/),
      "fs_write",
    ]);
  });

  it("of a history whose tool is gone is told as strictly", () => {
    const { messages } = applyQuirks({ ...bodyOf(["a.b"]), tools: [] }, ["names-64"]) as unknown as Named;
    expect(messages[0]?.tool_calls?.[0]?.function.name).toBe("a_b");
  });

  it("of a user is no tool's", () => {
    const body = { messages: [{ role: "user", name: "a.b", content: "Hi" }] };
    expect(applyQuirks(body, ["names-64"])).toBe(body);
  });
});

const ID_RULES = { "ids-9": /^[a-zA-Z0-9]{9}$/, "ids-40": /^.{1,40}$/s, "ids-64": /^[\w-]{1,64}$/ } as const;

function historyOf(ids: readonly string[]): JsonObject {
  return {
    messages: ids.flatMap((id) => [
      { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", tool_call_id: id, content: id },
    ]),
  };
}

interface Identified {
  readonly messages: readonly { tool_call_id?: string; tool_calls?: readonly { id: string }[] }[];
}

function idsIn(body: JsonObject): { readonly calls: readonly string[]; readonly results: readonly string[] } {
  const { messages } = body as unknown as Identified;
  return {
    calls: messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
    results: messages.flatMap(({ tool_call_id: id }) => id ?? []),
  };
}

describe.each(Object.entries(ID_RULES))("ids by the rule %s", (rule, legal) => {
  it("are legal, no two alike, the same for call and result, and kept where they were legal", () => {
    const property = fc.property(fc.uniqueArray(fc.stringMatching(/^[\w.:-]{1,60}$/), { maxLength: 12 }), (own) => {
      const { calls, results } = idsIn(applyQuirks(historyOf(own), [rule]));
      expect(calls.filter((id) => !legal.test(id))).toEqual([]);
      expect(results).toEqual(calls);
      expect(new Set(calls).size).toBe(own.length);
      for (const [at, id] of own.entries()) if (legal.test(id)) expect(calls[at]).toBe(id);
    });
    fc.assert(property, { numRuns: runsOf(300) });
  });

  it("are the same in each turn of a conversation", () => {
    const own = ["call.1:with/everything", "call_that_is_longer_than_what_the_strictest_wire_would_take_from_me"];
    const [first] = idsIn(applyQuirks(historyOf(own.slice(0, 1)), [rule])).calls;
    expect(idsIn(applyQuirks(historyOf(own), [rule])).calls[0]).toBe(first);
  });
});

describe("ids of Kimi K2", () => {
  it("say the tool and count the calls of the conversation, whatever they were", () => {
    const own = ["call_1", "functions.look:0", "functions.look:7"];
    const { calls, results } = idsIn(applyQuirks(historyOf(own), ["ids-kimi"]));
    expect(calls).toEqual(["functions.look:0", "functions.look:1", "functions.look:2"]);
    expect(results).toEqual(calls);
  });

  it("are left as they are where they are right", () => {
    const body = historyOf(["functions.look:0", "functions.look:1"]);
    expect(applyQuirks(body, ["ids-kimi"])).toBe(body);
  });

  it("say the name that the tool was shown under", () => {
    const call = { id: "c", type: "function", function: { name: "fs.read", arguments: "{}" } };
    const body = applyQuirks({ messages: [{ role: "assistant", tool_calls: [call] }] }, ["ids-kimi", "names-64"]);
    expect(idsIn(body).calls).toEqual(["functions.fs_read:0"]);
  });
});
