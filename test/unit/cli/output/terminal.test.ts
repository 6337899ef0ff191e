// What reaches a terminal, and what a pipe.
import { describe, expect, it } from "@jest/globals";
import { writeError, writeNote, writeText } from "../../../../src/cli/output/terminal.ts";
import { readSources } from "../../../support/readSources.ts";

const HOSTILE = "\u001b]0;owned\u0007\u001b[2J\u009b31mred\r\bgone \u202egnp.exe\u202c \u061c\u2028end";
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, write: (text: unknown) => written.push(String(text)) > 0 };
}

describe("what a model wrote", () => {
  it("cannot steer a terminal nor turn its writing, and stays readable", () => {
    const terminal = output(true);
    writeText(`Hello\n\tworld 👩‍💻 ${HOSTILE}\r\n`, terminal);
    expect(terminal.written.join("")).not.toMatch(OBEYED);
    expect(terminal.written.join("")).toMatch(/^Hello\n\tworld 👩‍💻 \\u001b\]0;owned\\u0007.*\\u202egnp\.exe.*end\n$/);
  });

  it("is data to a pipe", () => {
    const pipe = output(false);
    writeText(HOSTILE, pipe);
    expect(pipe.written).toEqual([HOSTILE]);
  });

  it("of JSON is the same JSON on a terminal", () => {
    const terminal = output(true);
    writeText(JSON.stringify({ said: HOSTILE }), terminal);
    expect(JSON.parse(terminal.written.join(""))).toEqual({ said: HOSTILE });
  });

  it.each([true, false])("forges no note and no error (terminal: %s)", (isTTY) => {
    const notes = output(isTTY);
    writeNote(`tool → ${HOSTILE}\n· failed: forged`, notes);
    expect(notes.written.join("").split("\n")).toHaveLength(2);
    writeError(HOSTILE, notes);
    expect(notes.written.join("")).not.toMatch(OBEYED);
  });
});

it("the commands write through one place; only the explained text, which escapes by itself, has colours of its own", () => {
  const writers = [...readSources("src/cli")].filter(([, text]) => /process\.std(?:out|err)\.write/.test(text));
  expect(writers.map(([file]) => file)).toEqual(["parseText.ts"]);
});
