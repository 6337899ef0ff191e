// Words of which the parser says beforehand that they pass as they are: read afterwards, all of them in one piece, they do.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { ParserEvent } from "../../../../src/formats/state/ParserEvent.ts";
import { tokensOf } from "../../../support/chunkings.ts";
import { modelTexts, REQUESTS, request, requests } from "../../../support/modelTexts.ts";
import { countedParser } from "../../../support/parserRuns.ts";
import { runsOf } from "../../../support/sample.ts";
import { transcriptTexts } from "../../../support/transcriptTexts.ts";

type Circumstances = ReturnType<typeof request>;

/** Reads a text piece by piece: once each piece when it comes, once those that pass only before the next that does not. */
function bothWays(pieces: readonly string[], { setting, finishReason }: Circumstances) {
  const ordinary = countedParser(setting);
  const late = countedParser(setting);
  const changed: string[] = [];
  const lateEvents: ParserEvent[] = [];
  let untold = "";
  let passed = 0;
  for (const piece of pieces) {
    const passes = late.isPlainText(piece);
    if (!passes) lateEvents.push(...late.feed(untold), ...late.feed(piece));
    untold = passes ? untold + piece : "";
    const [first, ...more] = ordinary.feed(piece);
    if (!passes) continue;
    passed += 1;
    const isUnchanged = first?.type === "text" && first.text === piece && more.length === 0;
    if (!isUnchanged) changed.push(piece);
  }
  lateEvents.push(...late.feed(untold), ...late.finish(finishReason));
  return { passed, changed, lateEvents };
}

/** Neighbouring texts as one: only where they are parted may differ. */
function joined(events: readonly ParserEvent[]): readonly ParserEvent[] {
  const all: ParserEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const together =
      event.type === "text" && last?.type === "text" && event.raw === undefined && last.raw === undefined;
    if (together) all[all.length - 1] = { ...last, text: last.text + event.text };
    else all.push(event);
  }
  return all;
}

function wholeRun(pieces: readonly string[], { setting, finishReason }: Circumstances): readonly ParserEvent[] {
  const parser = countedParser(setting);
  return joined([...pieces.flatMap((piece) => parser.feed(piece)), ...parser.finish(finishReason)]);
}

describe("words that are said to pass", () => {
  it("leave at once and unchanged, and change nothing behind them when they are read late, in what models write", () => {
    let all = 0;
    fc.assert(
      fc.property(modelTexts(14), requests, fc.integer({ min: 0, max: 12 }), (text, asked, size) => {
        const pieces = size === 0 ? tokensOf(text) : (text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []);
        const { passed, changed, lateEvents } = bothWays(pieces, asked);
        all += passed;
        expect({ text, changed }).toEqual({ text, changed: [] });
        expect(joined(lateEvents)).toEqual(wholeRun(pieces, asked));
      }),
      { numRuns: runsOf(1_500) },
    );
    expect(all).toBeGreaterThan(3_000);
  });

  it("are most of the words of recorded answers, under every request", () => {
    for (const { name, text } of transcriptTexts())
      for (const asked of REQUESTS) {
        const pieces = tokensOf(text);
        const { changed, lateEvents } = bothWays(pieces, asked);
        expect({ name, changed }).toEqual({ name, changed: [] });
        expect({ name, events: joined(lateEvents) }).toEqual({ name, events: wholeRun(pieces, asked) });
      }
    const prose = tokensOf("The lamp is lit, and x < y holds; so does a <b> of <0123>. All is well.");
    expect(bothWays(prose, request()).passed).toBeGreaterThan(prose.length / 2);
  });

  it("are none where the line is not begun, a quotation or a thought is open, or the words end in what a mark begins with", () => {
    const after = (before: string, words: string, asked = request()): boolean => {
      const parser = countedParser(asked.setting);
      if (before !== "") parser.feed(before);
      return parser.isPlainText(words);
    };
    expect(after("The lamp", " is lit")).toBe(true);
    expect(after("", "The lamp")).toBe(false);
    expect(after("The lamp.\n", "It")).toBe(false);
    expect(after("Use `set_lamp", " here")).toBe(false);
    expect(after("<think>Let me", " see")).toBe(false);
    expect(after("The lamp", " is <")).toBe(false);
    expect(after("The lamp", " is <tool_call>")).toBe(false);
    expect(after("The lamp", " is lit\n")).toBe(false);
    expect(after("The lamp", " is lit\r")).toBe(false);
    expect(after("The lamp", "x".repeat(2_000))).toBe(false);
  });
});
