// What comes in many pieces is kept as one.
import { describe, expect, it } from "@jest/globals";
import { TurnCollector } from "../../../../src/agents/turn/TurnCollector.ts";
import { TurnOutputBuffer } from "../../../../src/agents/turn/TurnOutputBuffer.ts";
import { Collector } from "../../../../src/core/events/Collector.ts";
import { ExtraAccumulator } from "../../../../src/core/events/ExtraAccumulator.ts";
import type { Extra } from "../../../../src/core/events/events.ts";
import { mergeExtra } from "../../../../src/core/events/providerFields.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";

const delta = (fields: JsonObject): Extra => ({ level: "delta", fields });
const choice = (fields: JsonObject): Extra => ({ level: "choice", fields });

describe("ExtraAccumulator", () => {
  it("merges to what its pieces merge to, however they are grouped", () => {
    const pieces = [
      delta({ list: [{ index: 0, text: "a" }], text: "x" }),
      choice({ logprobs: { content: [1] }, text: "x" }),
      delta({ list: [{ index: 0, text: "b" }], text: "y" }),
      delta({ list: [{ index: 0, signature: "s" }] }),
      delta({ list: [{ index: 0, text: "of another turn" }], n: { a: 1 } }),
      choice({ logprobs: { content: [2] }, text: "y" }),
      delta({ n: { b: 2 } }),
    ];
    for (let at = 0; at <= pieces.length; at += 1) {
      const all = new ExtraAccumulator();
      for (const part of [pieces.slice(0, at), pieces.slice(at)]) {
        const fold = new ExtraAccumulator();
        fold.add(part);
        all.add(fold.take());
      }
      for (const level of ["delta", "choice"] as const)
        expect(mergeExtra(all.all, level)).toEqual(mergeExtra(pieces, level));
    }
  });

  it("changes nothing that it was given, nor what was taken from it", () => {
    const given = delta({ list: [1], n: { a: 1 } });
    const fold = new ExtraAccumulator();
    fold.add([given]);
    const [taken] = fold.take();
    fold.add([given, delta({ list: [2], n: { a: 2 } })]);
    expect([given.fields, taken?.fields]).toEqual([
      { list: [1], n: { a: 1 } },
      { list: [1], n: { a: 1 } },
    ]);
  });

  it("forgets one field, and a level that said nothing else", () => {
    const fold = new ExtraAccumulator();
    fold.add([choice({ logprobs: {} }), delta({ logprobs: {}, a: 1 })]);
    fold.removeField("logprobs");
    expect(fold.all).toEqual([delta({ a: 1 })]);
  });
});

describe("ExtraAccumulator: fields beside each of 200,000 pieces of a text that waits", () => {
  it("leave with it as one, and are heard and collected", () => {
    const outlet = new TurnOutputBuffer({ live: false, bound: false });
    for (let i = 0; i < 200_000; i += 1) outlet.text("x", [delta({ annotations: [1] })]);
    const turnCollector = new TurnCollector({ gateway: new Set(), keepsText: true });
    const collector = new Collector();
    for (const event of outlet.release("answer", false)) {
      expect(event).toMatchObject({ extra: [{ level: "delta" }] });
      turnCollector.add(event);
      collector.add(event);
    }
    expect(turnCollector.extra[0]?.fields.annotations).toHaveLength(200_000);
    expect(collector.getCollected().extra[0]?.fields.annotations).toHaveLength(200_000);
  });
});
