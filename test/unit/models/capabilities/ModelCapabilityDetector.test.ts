// Which authority says what, field by field.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { ModelProfile } from "../../../../src/core/models/capabilities.ts";
import type { Clock } from "../../../../src/core/ports.ts";
import { ModelCapabilityDetector } from "../../../../src/models/capabilities/ModelCapabilityDetector.ts";
import { ObservedCapabilityCache } from "../../../../src/models/capabilities/ObservedCapabilityCache.ts";
import { InMemoryCapabilityStore } from "../../../../src/stores/InMemoryCapabilityStore.ts";

const SHIPPED: readonly ModelProfile[] = [
  {
    match: ["qwen3*"],
    tools: "native",
    formats: ["hermes-json"],
    reasoning: { marks: "think", opened: "by-request" },
    why: "test",
  },
  { match: ["qwen3-coder*"], tools: "text", emulate: "qwen-xml", quirks: ["merge-system"], why: "test" },
];

class Hand implements Clock {
  ms = 0;
  now(): number {
    return this.ms;
  }
  monotonic(): number {
    return this.ms;
  }
  async sleep(): Promise<void> {}
}

function detectorWith(operator: readonly ModelProfile[] = []) {
  const clock = new Hand();
  const evidence = new ObservedCapabilityCache(new InMemoryCapabilityStore(clock), clock);
  const detector = new ModelCapabilityDetector({ operator, shipped: SHIPPED, evidence });
  const learn = (key: string, ...refused: readonly string[]) => {
    for (const one of refused) evidence.put(key, { refused: one, reason: "400", at: clock.ms });
  };
  return { detector, clock, learn };
}

describe("a model that nobody knows", () => {
  it("is native, and every field says that it is a default", () => {
    const found = detectorWith().detector.detect({ model: "mystery", key: "up/mystery" });
    expect(found).toMatchObject({
      row: "default",
      tools: "native",
      emulate: "hermes-json",
      toolChoice: ["auto", "none", "required", "named"],
    });
    expect(new Set(Object.values(found.source))).toEqual(new Set(["default"]));
    expect(Object.keys(found.source).sort()).toEqual(
      Object.keys(found)
        .filter((field) => field !== "row" && field !== "source")
        .sort(),
    );
  });
});

describe("a model with rows", () => {
  it("takes the longest pattern's row, whatever decorates its name", () => {
    const { detector } = detectorWith();
    expect(detector.detect({ model: "Qwen/Qwen3-Coder-30B:free", key: "k" })).toMatchObject({
      row: "qwen3-coder*",
      tools: "text",
      emulate: "qwen-xml",
      formats: [],
      source: { tools: "shipped", formats: "default" },
    });
    expect(detector.detect({ model: "qwen3:8b", key: "k" })).toMatchObject({ row: "qwen3*", tools: "native" });
  });

  it("lets the operator overrule single fields, and parts of reasoning", () => {
    const { detector } = detectorWith([
      { match: ["qwen3:8b"], tools: "text", reasoning: { opened: "always" }, why: "mine" },
    ]);
    expect(detector.detect({ model: "qwen3:8b", key: "k" })).toMatchObject({
      row: "qwen3:8b",
      tools: "text",
      formats: ["hermes-json"],
      reasoning: { marks: "think", opened: "always" },
      source: { tools: "operator", reasoning: "operator", formats: "shipped" },
    });
  });

  it("obeys the request before everybody", () => {
    const { detector } = detectorWith([{ match: ["*"], tools: "text", why: "mine" }]);
    const found = detector.detect({ model: "qwen3", key: "k", pinned: "native" });
    expect(found).toMatchObject({ tools: "native", source: { tools: "request" } });
  });
});

describe("a mode", () => {
  it("is pinned by the request and by an operator's row that says it, by nothing else", () => {
    const { detector } = detectorWith([
      { match: ["a*"], tools: "text", why: "mine" },
      { match: ["b*"], stream: "never", why: "mine" },
    ]);
    expect(detector.isPinned({ model: "x", key: "k", pinned: "text" })).toBe(true);
    expect(detector.isPinned({ model: "A/a1", key: "k" })).toBe(true);
    expect(detector.isPinned({ model: "b1", key: "k" })).toBe(false);
    expect(detector.isPinned({ model: "qwen3", key: "k" })).toBe(false);
  });
});

describe("an upstream that refused a part of a request", () => {
  it("is asked without it from then on, for that model of that upstream only, and is tried again after an hour", () => {
    const { detector, clock, learn } = detectorWith();
    learn("up/qwen3", "tools");
    expect(detector.detect({ model: "qwen3", key: "up/qwen3" })).toMatchObject({
      tools: "text",
      source: { tools: "evidence", quirks: "default" },
    });
    expect(detector.detect({ model: "qwen3", key: "other/qwen3" }).tools).toBe("native");
    clock.ms = 3_600_000;
    expect(detector.detect({ model: "qwen3", key: "up/qwen3" })).toMatchObject({
      tools: "native",
      source: { tools: "shipped" },
    });
  });

  it.each([
    [["stream"], { stream: "never" }],
    [["stream:false"], { stream: "always" }],
    [["response_format:json_schema"], { jsonSchema: "json_object" }],
    [["response_format:json_schema", "response_format:json_object"], { jsonSchema: "none" }],
    [["response_format:json_object"], { jsonSchema: "native", quirks: ["json-object-as-schema"] }],
    [["tool_choice:named", "tool_choice:required"], { toolChoice: ["auto", "none"] }],
    [["temperature", "stop"], { quirks: ["no-temperature", "no-stop"] }],
    [["max_tokens"], { quirks: ["max-completion-tokens"] }],
    [["role:system"], { systemRole: "user", quirks: ["alternate-roles"] }],
    [["never heard of"], { quirks: [] }],
  ])("of %j changes %j and nothing else", (refused, changed) => {
    const { detector, learn } = detectorWith();
    const { source: _, ...before } = detector.detect({ model: "m", key: "k" });
    learn("k", ...refused);
    const { source: __, ...after } = detector.detect({ model: "m", key: "k" });
    expect(after).toEqual({ ...before, ...changed });
  });

  it("adds its quirks to those of the shipped row", () => {
    const { detector, learn } = detectorWith();
    learn("k", "stop");
    expect(detector.detect({ model: "qwen3-coder", key: "k" })).toMatchObject({
      quirks: ["merge-system", "no-stop"],
      source: { quirks: "evidence" },
    });
  });

  it("does not overrule the operator or the request", () => {
    const { detector, learn } = detectorWith([{ match: ["qwen3"], tools: "native", why: "mine" }]);
    learn("k", "tools");
    expect(detector.detect({ model: "qwen3", key: "k" }).source.tools).toBe("operator");
    expect(detector.detect({ model: "other", key: "k", pinned: "native" }).tools).toBe("native");
  });
});

describe("what was found of a model before", () => {
  const step = fc.oneof(
    fc.record({
      model: fc.constantFrom("qwen3", "Qwen3:8b", "qwen3-coder", "mystery"),
      key: fc.constantFrom("up/a", "up/b"),
      pinned: fc.constantFrom(undefined, "native" as const, "text" as const),
    }),
    fc.record({ learnt: fc.constantFrom("tools", "stop", "stream", "unheard"), key: fc.constantFrom("up/a", "up/b") }),
    fc.record({ later: fc.constantFrom(1, 1_800_000, 3_600_000) }),
  );

  it("is found again as by one who never looked, whatever was asked, learnt and forgotten in between", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const clock = new Hand();
        const evidence = new ObservedCapabilityCache(new InMemoryCapabilityStore(clock), clock);
        const knowledge = {
          operator: [{ match: ["qwen3:8b"], tools: "text", why: "mine" }],
          shipped: SHIPPED,
          evidence,
        } as const;
        const detector = new ModelCapabilityDetector(knowledge);
        for (const one of steps) {
          if ("later" in one) clock.ms += one.later;
          else if ("learnt" in one) evidence.put(one.key, { refused: one.learnt, reason: "400", at: clock.ms });
          else {
            const fresh = new ModelCapabilityDetector(knowledge);
            expect(detector.detect(one)).toEqual(fresh.detect(one));
            expect(detector.isPinned(one)).toBe(fresh.isPinned(one));
          }
        }
      }),
    );
  });

  it("is told each time with an object of its own that says where it came from, for a run keeps what it learns by that", () => {
    const { detector } = detectorWith();
    const query = { model: "qwen3", key: "k" };
    const [one, other] = [detector.detect(query), detector.detect(query)];
    expect(one).toEqual(other);
    expect(one.source).not.toBe(other.source);
  });
});
