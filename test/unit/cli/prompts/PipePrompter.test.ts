// A person behind a pipe: what is asked, and what the end of the pipe is taken for.
import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { PipePrompter } from "../../../../src/cli/prompts/PipePrompter.ts";
import { StdinLines } from "../../../../src/cli/prompts/StdinLines.ts";

function personWith(input: string) {
  const stream = new PassThrough();
  stream.end(input);
  const written: string[] = [];
  const lines = new StdinLines(stream);
  return {
    lines,
    said: () => written.join(""),
    person: new PipePrompter(lines, { write: (text: unknown) => written.push(String(text)) > 0 }),
  };
}

describe("a choice", () => {
  it("is a number of the list, and is asked again where it is none", async () => {
    const { person, said } = personWith("0\n3\nred\n\n-1\n2\r\n");
    expect(await person.choose({ message: "Which?", options: ["red", "green\nblue"] })).toBe(1);
    expect(said()).toContain("Which?\n  1. red\n  2. green\\nblue\nNumber from 1 to 2: ");
    expect(said().match(/is none of them/g)).toHaveLength(5);
  });

  it("was not made where the input ends, whatever came before", async () => {
    for (const input of ["", "7\n", "\n\n"]) {
      expect(await personWith(input).person.choose({ message: "Which?", options: ["a", "b"] })).toBeUndefined();
    }
  });
});

it("a blank answer is asked again, unless nothing is an answer", async () => {
  const { person } = personWith("  \n\nAda \n\n");
  expect(await person.write({ message: "Name?" })).toBe("Ada");
  expect(await person.write({ message: "Why?", optional: true })).toBe("");
  expect(await person.write({ message: "Name?" })).toBeUndefined();
});

it("what a model wrote steers nothing and forges no line of ours", async () => {
  const { person, said } = personWith("");
  const hostile = "x\u001b]52;c;aGk=\u0007\u202e\r\nNumber from 1 to 2: 1";
  person.show({ title: "Would run", text: hostile });
  await person.choose({ message: hostile, options: [hostile] });
  expect(said()).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(said()).toContain("  x\\u001b]52;c;aGk=\\u0007\\u202e\n  Number from 1 to 2: 1");
});

describe("lines", () => {
  it("that nobody waited for any more are for whoever asks next", async () => {
    const stream = new PassThrough();
    const lines = new StdinLines(stream);
    const leaving = new AbortController();
    const first = lines.next(leaving.signal);
    leaving.abort();
    expect(await first).toBeUndefined();
    const second = lines.next();
    stream.write("one\ntwo\nthr");
    expect([await second, await lines.next()]).toEqual(["one", "two"]);
    stream.end("ee");
    expect([await lines.next(), await lines.next(), await lines.next()]).toEqual(["three", undefined, undefined]);
  });

  it("end where the source is closed", async () => {
    const lines = new StdinLines(new PassThrough());
    const waiting = lines.next();
    lines.close();
    expect(await waiting).toBeUndefined();
  });
});
