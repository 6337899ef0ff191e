import { describe, expect, it } from "@jest/globals";
import { corpusReader, loadCorpus } from "../../support/corpus.ts";
import { HOSTILE_FAMILIES } from "../../support/hostileTexts.ts";
import { REQUESTS, request } from "../../support/modelTexts.ts";
import {
  type Circumstances,
  countedParser,
  lostCharacters,
  runParser,
  settledEvents,
} from "../../support/parserRuns.ts";
import { feedSlices, finishSlices } from "../../support/slices.ts";

/** Far below the default, so that slices end in the middle of everything. */
const SIZES = [1, 7];

const read = corpusReader();

function inSlices(text: string, circumstances: Circumstances, sliceChars: number): string {
  const setting = { ...circumstances.setting, sliceChars };
  return JSON.stringify(settledEvents(runParser([text], { ...circumstances, setting })));
}

function faults(text: string, circumstances: Circumstances): readonly string[] {
  const whole = inSlices(text, circumstances, Number.MAX_SAFE_INTEGER);
  return SIZES.filter((size) => inSlices(text, circumstances, size) !== whole).map((size) => `in slices of ${size}`);
}

describe("a text that is read in slices means what it means at once", () => {
  it.each(loadCorpus())("outputs of $family", ({ cases }) => {
    expect(cases.flatMap((one) => faults(one.text, read(one)).map((fault) => `${one.id} ${fault}`))).toEqual([]);
  });

  it.each(HOSTILE_FAMILIES)("$name", ({ text }) => {
    expect(REQUESTS.flatMap((circumstances) => faults(text(400), circumstances))).toEqual([]);
  });
});

describe("a slice", () => {
  it("is followed by another where the text is long, and by none where it is short", () => {
    const [native] = REQUESTS;
    if (!native) throw new Error("There is no request.");
    const parser = countedParser(native.setting);
    expect([...feedSlices(parser, "a word ")].map(({ more }) => more)).toEqual([false]);
    expect([...feedSlices(parser, "a word ".repeat(10_000))].map(({ more }) => more)).toEqual([
      ...Array(17).fill(true),
      false,
    ]);
  });

  it("keeps its events while others are read", () => {
    const parser = countedParser(request().setting);
    const slices = ["", " ", "a word", "", " and one"].map((piece) => parser.feedSlice(piece));
    expect(slices.map(({ events }) => events.map((event) => event.type))).toEqual([[], [], ["text"], [], ["text"]]);
  });

  it("ends where a text that was held is read again, however long it is", () => {
    const [native] = REQUESTS;
    if (!native) throw new Error("There is no request.");
    const parser = countedParser(native.setting);
    parser.feed(`<think>${"[TOOL_CALLS]".repeat(50_000)}`);
    expect([...finishSlices(parser, "stop")].length).toBeGreaterThan(30);
  });

  it.each([
    ["backticks without end", "`".repeat(400_000)],
    ["tildes without end", "~".repeat(400_000)],
    ["backticks without end behind words", `words ${"`".repeat(400_000)}`],
    ["blanks without end inside a fence", `\`\`\`sh\n${" ".repeat(400_000)}`],
    ["a fence of a thousand backticks", `${"`".repeat(1_000)}\n${"words\n".repeat(50_000)}${"`".repeat(1_000)}\n`],
    ["blank lines without end", `x${" \n".repeat(200_000)}`],
  ])("looks at no character more than a few times, and never at all of them: %s", (_, text) => {
    const [native] = REQUESTS;
    if (!native) throw new Error("There is no request.");
    const parser = countedParser(native.setting);
    let before = 0;
    let most = 0;
    for (const slices of [feedSlices(parser, text), finishSlices(parser, "stop")]) {
      for (const _slice of slices) {
        most = Math.max(most, parser.inspected - before);
        before = parser.inspected;
      }
    }
    expect(most).toBeLessThan(100_000);
    expect(parser.inspected).toBeLessThan(3 * text.length);
  });

  it("keeps a fence of a thousand backticks together, and what stands behind it outside", () => {
    const [native] = REQUESTS;
    if (!native) throw new Error("There is no request.");
    const fence = "`".repeat(1_000);
    const call = '<tool_call>{"name": "set_lamp", "arguments": {"colour": "red"}}</tool_call>';
    const events = runParser([`words\n${fence}\n${call}\n${fence}\n${call}`], native);
    expect(events.flatMap((event) => (event.type === "call" ? [event.at] : []))).toEqual([
      8 + 2 * 1_000 + call.length + 1,
    ]);
  });
});

describe("what cannot be cut into slices is bounded", () => {
  const [native] = REQUESTS;
  const issuesAndCalls = (text: string): readonly string[] => {
    if (!native) throw new Error("There is no request.");
    return runParser([text], native).flatMap((event) => {
      if (event.type === "issue") return [event.issue.code];
      return event.type === "call" ? ["call"] : [];
    });
  };
  const call = '{"name": "set_lamp", "arguments": {"colour": "red"}}';

  it.each([
    ["five hundred calls in one list", `[TOOL_CALLS][${`${call},`.repeat(499)}${call}]`, Array(500).fill("call")],
    ["six hundred calls in one list", `[TOOL_CALLS][${`${call},`.repeat(599)}${call}]`, ["malformed-call"]],
    [
      "a call of two hundred kilobytes",
      `<tool_call>${call.replace("red", "x\\n, ".repeat(40_000))}</tool_call>`,
      ["call"],
    ],
    [
      "a call of thirty thousand numbers",
      `<tool_call>${call.replace('"red"', `"red", "k": [${"1,".repeat(30_000)}1]`)}</tool_call>`,
      ["malformed-call"],
    ],
    [
      "six hundred Python calls in one list",
      `<tool_call>[${"set_lamp(colour='red'), ".repeat(600)}]</tool_call>`,
      ["malformed-call"],
    ],
  ])("%s", (_, text, expected) => {
    expect(issuesAndCalls(text)).toEqual(expected);
  });

  it("and the refusal of a call with too many values names the limit", () => {
    if (!native) throw new Error("There is no request.");
    const refusalOf = (body: string) => {
      const events = runParser([`<tool_call>${body}</tool_call>`], native);
      return events.flatMap((event) => (event.type === "issue" ? [event.issue.message] : []));
    };
    const many = call.replace('"red"', `"red", "k": [${"1,".repeat(30_000)}1]`);
    expect(refusalOf(many)).toEqual([expect.stringContaining("more than 20,000 values")]);
    expect(refusalOf('{"name": }')).toEqual([expect.not.stringContaining("values")]);
  });

  it("and a thousand issues are reported, not a hundred thousand, and every character stays accounted for", () => {
    if (!native) throw new Error("There is no request.");
    const text = '<tool_call>{"name": "no", "arguments": {}}</tool_call>'.repeat(1_500);
    const events = runParser([text], native);
    expect(events.filter(({ type }) => type === "issue")).toHaveLength(1_000);
    expect(lostCharacters(events, text)).toBeUndefined();
  });
});

describe("thousands of calls without marks", () => {
  const LINES = 25_000;
  const text = 'f(a="x")\n'.repeat(LINES);
  const callsOf = ({ events }: { readonly events: readonly { readonly type: string }[] }) =>
    events.filter(({ type }) => type === "call").length;

  it("leave ten thousand a slice, all of them and in their order", () => {
    const parser = countedParser({
      tools: [{ name: "f", parameters: { type: "object", properties: { a: { type: "string" } } } }],
      callsAllowed: true,
      toolMode: "native",
      formats: [],
      reasoningOpened: false,
      captureChars: 262_144,
    });
    const counts: number[] = [];
    const ids: string[] = [];
    const take = (slice: ReturnType<typeof parser.feedSlice>): boolean => {
      counts.push(callsOf(slice));
      for (const event of slice.events) if (event.type === "call") ids.push(event.call.id);
      return slice.more;
    };
    for (let more = take(parser.feedSlice(text)); more; ) more = take(parser.nextSlice());
    for (let more = take(parser.finishSlice("stop")); more; ) more = take(parser.nextSlice());
    expect(Math.max(...counts)).toBeLessThanOrEqual(10_000);
    expect(ids).toEqual(Array.from({ length: LINES }, (_, index) => `call_${index + 1}`));
  });
});
