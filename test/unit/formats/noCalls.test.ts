import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { chunksOf } from "../../support/chunkings.ts";
import { corpusReader, loadCorpus } from "../../support/corpus.ts";
import { modelTexts, REQUESTS } from "../../support/modelTexts.ts";
import { type Circumstances, lostCharacters, runParser } from "../../support/parserRuns.ts";
import { runsOf } from "../../support/sample.ts";
import { transcriptTexts } from "../../support/transcriptTexts.ts";

type Setting = Circumstances["setting"];

/** The two ways of asking for an answer without calls. */
const CLOSED: readonly ((setting: Setting) => Setting)[] = [
  (setting) => ({ ...setting, callsAllowed: false }),
  (setting) => ({ ...setting, tools: [] }),
];

/** What leaves that must not, or does not leave although the model wrote it. */
function breaches(
  text: string,
  { setting, finishReason }: Circumstances,
  chunkings: readonly (readonly string[])[] = [[text]],
): readonly string[] {
  return CLOSED.flatMap((close) => {
    const closed = { finishReason, setting: close(setting) };
    return chunkings.flatMap((chunks) => {
      const events = runParser(chunks, closed);
      const wrong = events.flatMap((event) => {
        if (event.type === "call") return `a call of ${event.call.name}`;
        if (event.type === "issue" && event.issue.code !== "stray-mark") return event.issue.code;
        // What goes is framing: a call's name and arguments are the answer's words.
        return event.type === "dropped" && isOfCall(event) ? `dropped ${event.raw}` : [];
      });
      return [...wrong, ...(lostCharacters(events, text) ?? [])];
    });
  });
}

/** A header that the text ends in is framing, whomever it would have addressed. */
function isOfCall({ raw, why }: { readonly raw: string; readonly why: string }): boolean {
  return why !== "cut-header" && /[{(]|to=(?!self|user|all|assistant)/.test(raw);
}

describe("with tool_choice none, or without tools, nothing is a call and the block stays content", () => {
  it("in every case of every family", () => {
    const read = corpusReader();
    const faults = loadCorpus().flatMap(({ cases }) =>
      cases.flatMap((one) => breaches(one.text, read(one)).map((fault) => `${one.id}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  it("in the recorded streams, whatever was asked", () => {
    const faults = transcriptTexts().flatMap(({ name, text }) =>
      REQUESTS.flatMap((request) => breaches(text, request).map((fault) => `${name}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  it("in random texts of marks, calls and prose", () => {
    fc.assert(
      fc.property(modelTexts(16), fc.constantFrom(...REQUESTS), (text, request) => {
        expect(breaches(text, request, [[text], chunksOf(text, 1)])).toEqual([]);
      }),
      { numRuns: runsOf(500) },
    );
  });
});
