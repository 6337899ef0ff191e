// What is told from marks at a glance: the readers of marks, who look at all of it, find none there either.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { matchChannelMarker } from "../../../../src/formats/channels/markerAt.ts";
import { Source } from "../../../../src/formats/scanner/Source.ts";
import { isNoTag, readTagOrCut } from "../../../../src/formats/scanner/Tag.ts";
import { getMarkerRole, isMark, isNoMark, nameOfMark } from "../../../../src/formats/specs/markers.ts";
import { ALL_MARKS } from "../../../support/allMarks.ts";
import { modelTexts } from "../../../support/modelTexts.ts";
import { runsOf } from "../../../support/sample.ts";

/** Characters behind the sign that have come when it is looked at. */
const SEEN = [0, 1, 2, 3, 5, 9, 17, 33, 200];

function sourceOf(text: string, isWhole: boolean): Source {
  const source = new Source();
  source.append(text);
  if (isWhole) source.endText();
  return source;
}

const isSeen = (text: string): boolean => isNoMark(sourceOf(text, false), text.charCodeAt(0));
const isRead = (text: string): boolean => matchChannelMarker(sourceOf(text, true)).next().value !== undefined;

/** A reader of tags, asked for the name `a` as well, as it is where a tool has that name. */
const asked = (name: string, prefix: string): boolean => name === "a" || isMark(name, prefix);

describe("a sign that is seen to begin no mark", () => {
  it("begins none, whatever follows", () => {
    let seen = 0;
    fc.assert(
      fc.property(modelTexts(12), (text) => {
        for (const { index } of text.matchAll(/[<[\]◁]/g)) {
          const rest = text.slice(index);
          const told = SEEN.filter((count) => isSeen(rest.slice(0, 1 + count)));
          seen += told.length;
          expect({ rest, isMark: told.length > 0 && isRead(rest) }).toEqual({ rest, isMark: false });
        }
      }),
      { numRuns: runsOf(400) },
    );
    expect(seen).toBeGreaterThan(1_000);
  });

  it("begins none in signs and letters that stand close together", () => {
    const text = fc.array(fc.constantFrom(..."<</>|｜:=_ab3 \n▁[]◁\"'", "think", "tool_call", "seed:"), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, fc.nat({ max: 12 }), (parts, seen) => {
        const rest = `<${parts.join("")}`;
        const isTold = isNoTag(sourceOf(rest.slice(0, 1 + seen), false), asked);
        const read = readTagOrCut(sourceOf(rest, true), asked).next().value;
        expect({ rest, isTag: isTold && read !== undefined }).toEqual({ rest, isTag: false });
      }),
      { numRuns: runsOf(20_000) },
    );
  });

  it.each(["<00000000001234567890>", "<div class", "</p>", "< b", "<1>", "[1]", "[a](b)", "] a"])(
    "is that of %p",
    (text) => {
      expect([isSeen(text), isRead(text)]).toEqual([true, false]);
    },
  );

  it.each([
    "<",
    "</",
    "<tool_call",
    "<tool_call>",
    "<a:tool_call>",
    "<|",
    "<｜a",
    "<_Function>",
    "[",
    "[T",
    "]",
    "]<",
    "`",
    "a",
  ])("is not told where a reader has to look: %p", (text) => {
    expect(isSeen(text)).toBe(false);
  });
});

describe("a name that the tag reader asks about", () => {
  it("is one of a mark exactly where an opening or a closing mark of that name has a meaning", () => {
    const tag = { raw: "", isSelfClosing: false, suffix: "", attributes: new Map() };
    const pieces = ALL_MARKS.flatMap((mark) => [mark, ...mark.split(/[<>/:\s]/), mark.replace(/^<\/?|>$/g, "")]);
    const names = [...new Set([...pieces, "div", "|", "tool_", "x"])].filter(
      (name) => name !== "" && !name.startsWith("/"),
    );
    const isKnown = (name: string, prefix: string) =>
      [false, true].some(
        (closing) => getMarkerRole(nameOfMark({ ...tag, name, prefix, isClosing: closing })) !== undefined,
      );
    const wrong = names.flatMap((name) =>
      ["", "xtml", "seed"]
        .filter((prefix) => isMark(name, prefix) !== isKnown(name, prefix))
        .map((prefix) => [name, prefix]),
    );
    expect([wrong, names.filter((name) => isMark(name, "")).length > 50, isMark("call", "xtml")]).toEqual([
      [],
      true,
      true,
    ]);
  });
});
