import { describe, expect, it } from "@jest/globals";
import { formatTranscript, parseTranscript, type Transcript } from "../../../../src/transcripts/format/Transcript.ts";
import { HEADER, recorded } from "../../../support/transcripts/exchanges.ts";

const transcript: Transcript = {
  header: {
    ...HEADER,
    expected: { content: "low", tool_calls: [{ name: "a", arguments: "{}" }], finish_reason: "stop" },
  },
  exchanges: [
    recorded(0, { turn: 0, body: { model: "tide-model", messages: [{ role: "user", content: "é" }] } }),
    recorded(3, {
      chunks: [
        { ms: 1, bytes: Buffer.from([0xe2, 0x82]) },
        { ms: 2, bytes: Buffer.from([0xac]) },
      ],
    }),
    {
      ...recorded(4, {
        chunks: [],
        end: { ms: 2, how: "broken", failure: { code: "upstream_unavailable", message: "x" } },
      }),
      response: undefined,
    },
  ],
};

const lines = formatTranscript(transcript).trimEnd().split("\n");

function parse(changed: readonly (string | undefined)[]): Transcript {
  return parseTranscript(changed.join("\n"), "tide.jsonl");
}

describe("a transcript's file", () => {
  it("is read back as it was written, half characters and missing responses included", () => {
    const text = formatTranscript(transcript);
    const again = parseTranscript(text, "tide.jsonl");
    expect(again.header).toEqual(transcript.header);
    expect(again.exchanges.map(({ n }) => n)).toEqual([0, 3, 4]);
    expect(Buffer.from(again.exchanges[1]?.chunks[0]?.bytes ?? []).toString("hex")).toBe("e282");
    expect(again.exchanges[2]?.response).toBeUndefined();
    expect(formatTranscript(again)).toBe(text);
  });

  it("holds text as text, so that a person can read it", () => {
    expect(lines[3]).toBe('{"type":"chunk","n":0,"ms":6,"text":"answer 0"}');
    expect(lines.filter((line) => line.includes("base64"))).toHaveLength(2);
  });

  it.each([
    ["an empty file", [], /tide\.jsonl:1 the file is empty/],
    ["a line that is no JSON", [lines[0], "{oops"], /tide\.jsonl:2 the line is not JSON/],
    ["a file without a header", lines.slice(1), /tide\.jsonl:1 postel/],
    ["an unknown field", [lines[0], lines[1]?.replace('"n"', '"extra":1,"n"')], /tide\.jsonl:2 .*extra/],
    ["an unknown version", [lines[0]?.replace('"version":1', '"version":2')], /tide\.jsonl:1 version/],
    ["an unknown kind of line", [lines[0], '{"type":"noise","n":0}'], /tide\.jsonl:2 type/],
    ["a chunk without its request", [lines[0], lines[3]], /tide\.jsonl:2 there is no request line of number 0/],
    ["a chunk before the response", [lines[0], lines[1], lines[3]], /tide\.jsonl:3 .*no response line/],
    ["a second response", [...lines.slice(0, 3), lines[2]], /tide\.jsonl:4 .*already has a response/],
    ["a line after the end", [...lines.slice(0, 5), lines[3]], /tide\.jsonl:6 .*already ended/],
    [
      "a chunk that is text and base64",
      [...lines.slice(0, 3), '{"type":"chunk","n":0,"ms":1}'],
      /tide\.jsonl:4 .*either/,
    ],
    ["numbers that do not grow", [lines[0], lines[1], lines[1]], /tide\.jsonl:3 .*numbers must grow/],
    ["a complete end without a response", [lines[0], lines[1], lines[4]], /tide\.jsonl:3 .*without response/],
    ["a file that was cut", lines.slice(0, 4), /tide\.jsonl exchange 0 has no end line/],
  ])("is refused with file and line for %s", (_, changed, message) => {
    expect(() => parse(changed)).toThrow(message);
  });

  it("says line numbers of the file, blank lines counted", () => {
    expect(() => parse([lines[0], "", "", "{oops"])).toThrow(/tide\.jsonl:4/);
  });
});
