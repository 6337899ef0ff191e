// Refuses words of the former private language in identifiers and file names of src. docs/glossary.md has the terms to use.
import { describe, expect, it } from "@jest/globals";
import { readSources } from "../../support/readSources.ts";

/** Each with the term of the glossary that takes its place. */
const REFUSED: Readonly<Record<string, string>> = {
  voice: "emitter",
  witness: "audit recorder",
  standing: "run state",
  keeper: "extractor, manager",
  tally: "usage",
  desk: "service",
  teller: "reporter",
  neutralised: "escaped",
  told: "reported, emitted",
  heard: "collected, received",
  hears: "callbacks",
  hear: "handle, add",
  untold: "unreported",
  onward: "resume point",
  torso: "partial marker",
  lonely: "alone",
};

const NOT_CODE = /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

function splitWords(name: string): readonly string[] {
  return (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
}

function findRefused(file: string, text: string): readonly string[] {
  const names = [...(text.replace(NOT_CODE, " ").match(/[A-Za-z_]\w*/g) ?? []), ...file.split(/[/.]/)];
  const refused = names.filter((name) => splitWords(name).some((word) => Object.hasOwn(REFUSED, word)));
  return [...new Set(refused)].map((name) => `${file}: ${name}`);
}

describe("identifiers and file names of src", () => {
  it("use no word of the former private language", () => {
    expect([...readSources("src")].flatMap(([file, text]) => findRefused(file, text))).toEqual([]);
  });

  it("are found where one is used", () => {
    expect(findRefused("agents/RunVoice.ts", "const tallyOf = 1;")).toEqual([
      "agents/RunVoice.ts: tallyOf",
      "agents/RunVoice.ts: RunVoice",
    ]);
  });
});
