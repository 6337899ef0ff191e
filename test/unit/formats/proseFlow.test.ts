import { describe, expect, it } from "@jest/globals";
import { ALL_MARKS } from "../../support/allMarks.ts";
import { seededRandom, tokensOf } from "../../support/chunkings.ts";
import { LIGHTHOUSE, REQUESTS } from "../../support/modelTexts.ts";
import { countedParser } from "../../support/parserRuns.ts";

const ANSWERS = 1000;
/** Newlines that wait in case a mark follows. */
const GLUE = 64;
const LONGEST_MARK = Math.max(...ALL_MARKS.map((mark) => mark.length), GLUE);

const SENTENCES = [
  "The lamp was lit at a quarter past nine. ",
  "Is 3 < 4 and 5 > 2? It is, and a[0] is the first.\n",
  "I would call set_lamp only if the fog comes in; ",
  "Note (see below): the horn sounds twice.\n\n",
  "- First, wind the clock.\n- Then, log it.\n",
  "1. Open the *west* window.\n2. Wait.\n",
  "# Tonight\n\n",
  "He said “keep it steady”, didn't he? ",
  "Es wird dunkel über der Bucht – ✨ 灯台. ",
  "x = f(y) + 2 holds, so y = 3. ",
  "Run `make lamp` and read the output. ",
  "| hour | lamp |\n|---|---|\n| 9 | on |\n",
  "Costs: $3, 20% off; e.g. a/b and c\\d. ",
  "Mail keeper@light.example or see https://light.example/?a=1&b=2. ",
  "Thoughts on action: none. Action is needed, though.\n",
  "<b>bold</b> and <br/> are HTML. ",
];

function answer(seed: number): string {
  const random = seededRandom(seed);
  const count = 3 + Math.floor(random() * 12);
  return Array.from({ length: count }, () => SENTENCES[Math.floor(random() * SENTENCES.length)]).join("");
}

/** How many characters are held back after each token of a plain answer. */
function heldBack(text: string): readonly number[] {
  const [request] = REQUESTS;
  if (!request) throw new Error("There is no request.");
  const parser = countedParser({ ...request.setting, tools: LIGHTHOUSE });
  let fed = 0;
  let shown = 0;
  return tokensOf(text).map((token) => {
    fed += token.length;
    for (const event of parser.feed(token)) if (event.type === "text") shown += event.text.length;
    return fed - shown;
  });
}

describe("plain answers flow", () => {
  const waits = Array.from({ length: ANSWERS }, (_, seed) => heldBack(answer(seed)))
    .flat()
    .sort((a, b) => a - b);

  it("with never more held back than the longest mark", () => {
    expect(waits.at(-1)).toBeLessThanOrEqual(LONGEST_MARK);
  });

  it("with nothing held back after most tokens", () => {
    expect(waits[Math.floor(waits.length / 2)]).toBe(0);
  });
});
