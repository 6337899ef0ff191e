// How a reading ends: each ending once, over a text that arrives in every way.
import { describe, expect, it } from "@jest/globals";
import type { CallCandidate } from "../../../../src/formats/decoders/CallCandidate.ts";
import { seekStop } from "../../../../src/formats/scanner/combinators.ts";
import { type Parser, Source, StopTable } from "../../../../src/formats/scanner/Source.ts";
import { Capture } from "../../../../src/formats/state/Capture.ts";
import type { ParserEvent, ParserOptions } from "../../../../src/formats/state/ParserEvent.ts";
import { ParserState } from "../../../../src/formats/state/ParserState.ts";
import { jsonArguments } from "../../../support/candidateArguments.ts";

const TEXT = "a <f>(b)";
const BEGIN = new StopTable("<");
const OSLO: CallCandidate = { name: "weather", arguments: jsonArguments('{"city":"Oslo"}'), repairs: [] };
const ROME: CallCandidate = { name: "wether", arguments: jsonArguments("{}"), repairs: [] };

const OPTIONS: ParserOptions = {
  tools: [{ name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } }],
  callsAllowed: true,
  toolMode: "native",
  formats: [],
  reasoningOpened: false,
  ids: { callId: () => "id" },
  captureChars: 100,
};

interface End {
  readonly events: readonly ParserEvent[];
  readonly turn: ParserState;
  readonly capture: Capture | undefined;
}

/** Reads `a `, captures `<f>(` and up to `)`, and ends the capture so. */
function ended(
  end: (capture: Capture, turn: ParserState) => void,
  options = OPTIONS,
  pieces: readonly string[] = [TEXT],
): End {
  const source = new Source();
  const turn = new ParserState(source, options);
  let capture: Capture | undefined;
  function* read(): Parser<void> {
    yield* seekStop(source, BEGIN, 2);
    turn.write("a ");
    capture = new Capture(turn);
    yield* seekStop(source, BEGIN, 3);
    source.skip(1);
    yield* seekStop(source, BEGIN, TEXT.length);
    end(capture, turn);
  }
  const reading = read();
  for (const piece of pieces) {
    source.append(piece);
    source.resume(reading);
  }
  source.endText();
  source.resume(reading);
  turn.sink.endText();
  return { events: turn.sink.drain(), turn, capture };
}

const RAW = "<f>(b)";
const fittedOslo = (turn: ParserState) => turn.fitAll([OSLO], "hermes-json") ?? [];

/** Each ending, and what becomes of the captured text, `a ` before it aside. */
const ENDINGS: readonly (readonly [string, (capture: Capture, turn: ParserState) => void, readonly object[]])[] = [
  [
    "calls and issues, a candidate each",
    (capture) => capture.endAsCalls([OSLO, ROME], "hermes-json"),
    [
      { type: "call", at: 2, call: { name: "weather", raw: RAW, origin: "hermes-json", id: "id" } },
      { type: "issue", issue: { code: "unknown-tool", raw: "" } },
    ],
  ],
  [
    "calls that were fitted before",
    (capture, turn) => capture.endAsFittedCalls(fittedOslo(turn)),
    [{ type: "call", at: 2, call: { name: "weather", raw: RAW } }],
  ],
  [
    "calls that wait for what follows",
    (capture, turn) => capture.endAsDeferredCalls(fittedOslo(turn)),
    [{ type: "call", at: 2, call: { name: "weather", raw: RAW } }],
  ],
  [
    "a call that the text's end cut off",
    (capture) => capture.endAsCutCall("hermes-json"),
    [
      {
        type: "issue",
        issue: { code: "truncated-call", message: "The text ended inside this tool call.", at: 2, raw: RAW },
      },
    ],
  ],
  [
    "a call that cannot be read",
    (capture) => capture.endAsMalformedCall("No.", "hermes-json"),
    [{ type: "issue", issue: { code: "malformed-call", message: "No.", family: "hermes-json", at: 2, raw: RAW } }],
  ],
  [
    "a call that is refused, behind which nothing is read",
    (capture) => capture.endAsOversizedCall("hermes-json"),
    [{ type: "issue", issue: { code: "truncated-call", raw: RAW } }],
  ],
  ["markup", (capture) => capture.endAsMarkup("label"), [{ type: "dropped", at: 2, raw: RAW, why: "label" }]],
  [
    "an answer in other words",
    (capture) => capture.endAsAnswer("Yes."),
    [{ type: "text", at: 2, text: "Yes.", raw: RAW }],
  ],
  ["text", (capture) => capture.endAsText(), [{ type: "text", at: 0, text: `a ${RAW}` }]],
  ["text up to a place, behind which it is read again", (capture) => capture.endAsText(5), [{ text: "a <f>" }]],
  ["text that is unread again", (capture) => capture.rejectAsCall("It is none."), []],
];

describe("a capture ends as", () => {
  it.each(ENDINGS)("%s", (_what, end, expected) => {
    const { events, turn, capture } = ended(end);
    const [first, ...rest] = events;
    const beside = first?.type === "text" && first.text === "a " ? rest : events;
    expect(beside).toMatchObject(expected);
    expect(capture?.hasEnded).toBe(true);
    expect(turn.source.bufferStart).toBe(turn.source.offset);
  });

  it.each(ENDINGS)("%s, however the text arrives", (_what, end) => {
    const whole = JSON.stringify(ended(end).events);
    for (let cut = 1; cut < TEXT.length; cut += 1)
      expect(JSON.stringify(ended(end, OPTIONS, [TEXT.slice(0, cut), TEXT.slice(cut)]).events)).toBe(whole);
    expect(JSON.stringify(ended(end, OPTIONS, [...TEXT]).events)).toBe(whole);
  });

  it.each([
    ["calls", (capture: Capture) => capture.endAsCalls([OSLO], "hermes-json")],
    ["an issue", (capture: Capture) => capture.endAsCutCall("hermes-json")],
  ])("words of the answer where nothing may be called, though it were %s", (_what, end) => {
    expect(ended(end, { ...OPTIONS, callsAllowed: false }).events).toEqual([{ type: "text", at: 0, text: `a ${RAW}` }]);
  });
});

describe("behind a capture", () => {
  it("that was given back the cursor stands at its start, and no call is looked for there again", () => {
    const { turn } = ended((capture) => capture.rejectAsCall("It is none."));
    expect(turn.source.offset).toBe(2);
    expect(turn.guard.isRefused).toBe(true);
    expect(turn.guard.released).toEqual([{ at: 2, length: RAW.length, family: undefined, why: "It is none." }]);
  });

  it("that was refused nothing is read", () => {
    expect(ended((capture) => capture.endAsOversizedCall("hermes-json")).turn.dropReason).toBe("capture-limit");
  });

  it("that is too long the limit is named, and the depth in any other that was refused", () => {
    const message = (captureChars: number) =>
      ended((capture) => capture.endAsOversizedCall("x"), { ...OPTIONS, captureChars }).events.flatMap((event) =>
        event.type === "issue" ? [event.issue.message] : [],
      );
    expect(message(3)).toEqual(["This tool call is longer than 3 characters, the limit of one capture."]);
    expect(message(100)).toEqual(["This tool call is nested too deeply: more than 64 levels."]);
  });

  it("with marks the line's start is over; behind calls without marks it is as before", () => {
    const lineStart = (end: (capture: Capture, turn: ParserState) => void) =>
      ended((capture, turn) => {
        turn.isAtLineStart = true;
        end(capture, turn);
      }).turn.isAtLineStart;
    expect(lineStart((capture) => capture.endAsCalls([OSLO], "hermes-json"))).toBe(false);
    expect(lineStart((capture) => capture.endAsMarkup())).toBe(false);
    expect(lineStart((capture, turn) => capture.endAsDeferredCalls(fittedOslo(turn)))).toBe(true);
  });
});
