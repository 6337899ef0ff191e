// Any two marks in a row, with words behind them: the text ends, nothing of it is lost, and its cuts change nothing. Random texts meet a pair seldom.
import { describe, expect, it } from "@jest/globals";
import {
  ARGUMENT_CHILDREN,
  CALL_NAMES,
  NAME_CHILDREN,
  PAIR_NAMES,
  PARAMETER_NAMES,
} from "../../src/formats/specs/callTags.ts";
import { ALL_MARKS } from "../support/allMarks.ts";
import { chunksOf } from "../support/chunkings.ts";
import { brokenPromise } from "../support/compareRuns.ts";
import { request } from "../support/modelTexts.ts";

const TAGS = [...PARAMETER_NAMES, ...NAME_CHILDREN, ...ARGUMENT_CHILDREN, ...CALL_NAMES, ...PAIR_NAMES];
const MARKS = [
  ...ALL_MARKS,
  ...TAGS.flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...["<function=set_lamp>", '<invoke name="set_lamp">', "<tool>", "<use_mcp_tool>", "<set_lamp>", "<execute_tool>"],
  ...[
    "```json\n",
    "`",
    "{",
    "[",
    "call:",
    "set_lamp",
    "to=functions.set_lamp",
    ">>>set_lamp\n",
    "assistant",
    "Action: ",
  ],
];

const circumstances = request();

describe("two marks in a row", () => {
  it.each(["", " ", "\n"])("are read to their end, with %j between them", (joint) => {
    const broken = MARKS.flatMap((first) =>
      MARKS.flatMap((second) => {
        const text = `${first}${joint}${second} x\n`;
        const why = brokenPromise(text, circumstances, [{ name: "size 5", chunks: chunksOf(text, 5) }]);
        return why === undefined ? [] : [`${JSON.stringify(text)}: ${why}`];
      }),
    );
    expect(broken).toEqual([]);
    expect(MARKS.length).toBeGreaterThan(200);
  });
});
