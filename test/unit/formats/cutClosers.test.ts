// Texts that end inside a closer: what is left of it is no word of the answer and no part of an argument, in any family.
import { describe, expect, it } from "@jest/globals";
import { type CorpusCase, corpusReader, loadCorpus } from "../../support/corpus.ts";
import { type Circumstances, type Meaning, meaningOf, runParser } from "../../support/parserRuns.ts";

const readerOf = corpusReader();
/** Closing marks and white space at the end of a text. */
const CLOSERS =
  /(?:\s|<\/[^<>\n]*>|<[|｜](?:close[|｜]>\w+<[|｜]sep)?[^<>"\n]*[|｜]?>|<\w+[|｜]>|\[\/[A-Z_]+\]|<end_function_call>|<bot_end>)+$/;
/** Text behind a call that is no closer, and values that quote closers, the first of which may have been their own. */
const KEPT_OUT = new Set(["langchain-xml/observation", "deepseek-v4/bare-closers-inside", "qwen3-xml/documented"]);

const folders = loadCorpus()
  .map(({ family, cases }) => ({
    family,
    cases: cases.filter(
      (one) => one.expected.calls.length > 0 && CLOSERS.test(one.text) && !one.finish_reason && !KEPT_OUT.has(one.id),
    ),
  }))
  .filter(({ cases }) => cases.length > 0);

interface Cut {
  readonly text: string;
  /** What is left of the closer that was cut. */
  readonly torso: string;
  /** The cut is in the last of them. */
  readonly last: boolean;
}

/** The text cut at every place inside its closers, the last ones of it. */
function cutsOf({ text }: CorpusCase): readonly Cut[] {
  const from = CLOSERS.exec(text)?.index ?? text.length;
  const marks = [...text.slice(from).matchAll(/[<[][^<[]*(?:<[|｜]sep[|｜]>)?[>\]]/g)].filter(
    ([mark]) => mark !== "<|sep|>",
  );
  return marks.flatMap(({ 0: mark, index }, turn) =>
    Array.from({ length: mark.length - 1 }, (_, cut) => ({
      text: text.slice(0, from + index + cut + 1),
      torso: mark.slice(0, cut + 1),
      last: turn === marks.length - 1,
    })),
  );
}

function meaning(text: string, given: Circumstances, finishReason: string): Meaning {
  return meaningOf(runParser([text], { ...given, finishReason }));
}

/** What is wrong with the reading of a cut text: characters of the torso in it, other arguments, or a call that went in silence. */
function faultOf(whole: Meaning, cut: Meaning, isCut: boolean): string | undefined {
  if (cut.content !== whole.content) return `content ${JSON.stringify(cut.content)}`;
  const other = cut.calls.find((call, index) => JSON.stringify(call) !== JSON.stringify(whole.calls[index]));
  if (other) return `call ${JSON.stringify(other)}`;
  // Where the token limit ended the text, the finish reason says so.
  const lost = !isCut && cut.calls.length < whole.calls.length && cut.issues.length === 0;
  return lost ? "a call is gone and nothing says so" : undefined;
}

describe.each(folders)("a closer of $family that the text ends in", ({ cases }) => {
  it.each(["stop", "length"])("is neither content nor argument, and no call goes unsaid: %s", (finishReason) => {
    const faults = cases.flatMap((one) => {
      const given = readerOf(one);
      const whole = meaning(one.text, given, "stop");
      return cutsOf(one).flatMap((cut) => {
        if (isOpen(one, cut, finishReason)) return [];
        const fault = faultOf(whole, meaning(cut.text, given, finishReason), finishReason !== "stop");
        return fault === undefined ? [] : [`${one.id} cut at ${JSON.stringify(cut.torso)}: ${fault}`];
      });
    });
    expect(faults).toEqual([]);
  });
});

/** A shape without marks that is not finished is text (decisions/0002), its torso with it. */
function isOpen(one: CorpusCase, { torso, last }: Cut, finishReason: string): boolean {
  const shapes = ["cline-xml", "smol-code", "raven"];
  const isShape = shapes.some((family) => one.id.startsWith(family) || one.family === family);
  return isShape && (finishReason !== "stop" || torso === "<" || !last);
}

describe("a call whose last closer is cut behind its first sign", () => {
  it.each(folders)("is read where the model ended by itself: $family", ({ cases }) => {
    const single = cases.filter(({ id }) => id.endsWith("/single"));
    const faults = single.flatMap((one) => {
      const given = readerOf(one);
      const whole = meaning(one.text, given, "stop");
      return cutsOf(one).flatMap(({ text, torso, last }) => {
        if (!last || torso.length < 2 || OPEN_SIGNS.has(torso.replace("｜", "|"))) return [];
        const cut = meaning(text, given, "stop");
        return JSON.stringify(cut) === JSON.stringify(whole) ? [] : [`${one.id}: ${torso} ${JSON.stringify(cut)}`];
      });
    });
    expect(faults).toEqual([]);
  });

  /** These may begin another argument as well. */
  const OPEN_SIGNS: ReadonlySet<string> = new Set(["<|", "<|t", "<|to", "<|too", "<|tool", "<|tool_"]);
});
