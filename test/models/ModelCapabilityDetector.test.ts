// Which authority says what, field by field.
import { describe, expect, it } from "@jest/globals";
import type { CapabilityRow } from "../../src/core/capabilities.ts";
import type { Clock, Observation } from "../../src/core/ports.ts";
import { MemoryEvidenceStore } from "../../src/models/MemoryEvidenceStore.ts";
import { ModelCapabilityDetector } from "../../src/models/ModelCapabilityDetector.ts";

const SHIPPED: readonly CapabilityRow[] = [
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

function detectorWith(operator: readonly CapabilityRow[] = []) {
  const clock = new Hand();
  const seen: Observation[] = [];
  const detector = new ModelCapabilityDetector({
    operator,
    shipped: SHIPPED,
    evidence: new MemoryEvidenceStore(clock),
    clock,
    observer: { observe: (observation) => seen.push(observation) },
  });
  return { detector, clock, seen };
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
      { match: ["b*"], parallel: false, why: "mine" },
    ]);
    expect(detector.isPinned({ model: "x", key: "k", pinned: "text" })).toBe(true);
    expect(detector.isPinned({ model: "A/a1", key: "k" })).toBe(true);
    expect(detector.isPinned({ model: "b1", key: "k" })).toBe(false);
    expect(detector.isPinned({ model: "qwen3", key: "k" })).toBe(false);
  });
});

describe("an upstream that refused tools", () => {
  it("is text from then on, for that upstream only, and is tried again after an hour", () => {
    const { detector, clock, seen } = detectorWith();
    detector.rememberToolsRefused("up/qwen3", "400: does not support tools");
    expect(detector.detect({ model: "qwen3", key: "up/qwen3" })).toMatchObject({
      tools: "text",
      source: { tools: "evidence" },
    });
    expect(detector.detect({ model: "qwen3", key: "other/qwen3" }).tools).toBe("native");
    expect(seen).toEqual([
      {
        type: "evidence",
        key: "up/qwen3",
        evidence: { toolMode: "text", reason: "400: does not support tools", at: 0 },
      },
    ]);
    clock.ms = 3_600_000;
    expect(detector.detect({ model: "qwen3", key: "up/qwen3" })).toMatchObject({
      tools: "native",
      source: { tools: "shipped" },
    });
  });

  it("does not overrule the operator or the request", () => {
    const { detector } = detectorWith([{ match: ["qwen3"], tools: "native", why: "mine" }]);
    detector.rememberToolsRefused("k", "400");
    expect(detector.detect({ model: "qwen3", key: "k" }).source.tools).toBe("operator");
    expect(detector.detect({ model: "other", key: "k", pinned: "native" }).tools).toBe("native");
  });

  it("is one of at most a thousand that are remembered, the newest", () => {
    const clock = new Hand();
    const store = new MemoryEvidenceStore(clock);
    for (let n = 0; n <= 1_000; n += 1) store.put(`k${n}`, { toolMode: "text", reason: "", at: 0 });
    expect(store.get("k0")).toBeUndefined();
    expect(store.get("k1")).toBeDefined();
    expect(store.get("k1000")).toBeDefined();
  });
});
