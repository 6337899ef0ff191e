// The work of finding spans is counted: it grows with the length of the texts and the spans, whatever they are made of.
import { describe, expect, it } from "@jest/globals";
import { QuotedSpans } from "../../../../src/agents/quotes/QuotedSpans.ts";
import { runToCompletion } from "../../../../src/core/async/yieldToEventLoop.ts";

/** What is done between two turns of the loop, in characters. */
const SLICE = 131_072;

/** How many turns of the loop it takes to look for these spans, and how many of them were found. */
function search(texts: readonly string[], spans: readonly string[]) {
  const quoted = new QuotedSpans(texts.map((text, time) => ({ time, text })));
  let turns = 0;
  let found = 0;
  for (const span of spans) {
    const steps = quoted.firstTime(span);
    let step = steps.next();
    for (; !step.done; step = steps.next()) turns += 1;
    if (step.value !== undefined) found += 1;
  }
  return { turns, found };
}

const call = (v: string): string => `<tool_call>{"name":"post","arguments":{"v":"${v}"}}</tool_call>`;
const many = (n: number, one: (index: number) => string): readonly string[] =>
  Array.from({ length: n }, (_, i) => one(i));

/** Texts and spans of a size, and whether the spans stand there. */
const HOSTILE: Readonly<Record<string, (n: number) => readonly [readonly string[], readonly string[]]>> = {
  "numbered calls, and as many others": (n) => [
    [many(n * 20, (i) => call(`${i}`)).join("")],
    many(n, (i) => call(`own ${i}`)),
  ],
  "one call over and over": (n) => [[call("a").repeat(n * 20)], many(n, (i) => call(`a${i}`))],
  "nothing but openers": (n) => [["<tool_call>".repeat(n * 20)], many(n, (i) => `${"<tool_call>".repeat(20)}${i}`)],
  "long calls that differ at their end": (n) => [
    many(n, (i) => call(`${"a".repeat(1_000)}${i}`)),
    many(n, (i) => call(`${"a".repeat(1_000)}b${i}`)),
  ],
  "calls of every length": (n) => [[call("a".repeat(n * 100))], many(n, (i) => call("b".repeat(i)))],
  "escapes of every kind": (n) => [["\\u003c&lt;\\\\&amp;lt;".repeat(n * 20)], many(n, (i) => `<<${i}`)],
  "escapes of addresses, mail, CSV and Markdown": (n) => [
    [`${'%3C=3C+=\r\n""\\<\n>> \n  12: \\u0025'.repeat(n * 20)}`],
    many(n, (i) => `<<${i}`),
  ],
};

describe("QuotedSpans", () => {
  it.each(Object.keys(HOSTILE))("looks through %s with work that their length bounds", (name) => {
    const [texts, spans] = HOSTILE[name]?.(100) ?? [[], []];
    const lengthOf = (all: readonly string[]): number => all.reduce((sum, { length }) => sum + length, 0);
    // Each text has up to 17 forms, and each character of them may cost 32.
    const most = 32 * (17 * lengthOf(texts) + lengthOf(spans) + SLICE);
    expect(search(texts, spans).turns).toBeLessThanOrEqual(most / SLICE);
  });

  it("does twice the work for twice as many calls", () => {
    const numbered = (i: number): string => call(String(i).padStart(6, "0"));
    const turns = (n: number): number =>
      search(
        [many(n * 20, numbered).join("")],
        many(n, (i) => numbered(1_000_000 - i)),
      ).turns;
    expect(turns(2_000)).toBeLessThanOrEqual(2.3 * turns(1_000) + 4);
  });

  it("says the time of the first text that holds a span", () => {
    const texts = ["nothing", `a ${call("x")}`, "nothing", call("x")];
    const quoted = new QuotedSpans(texts.map((text, time) => ({ time: time * 10, text })));
    expect(runToCompletion(quoted.firstTime(call("x")))).toBe(10);
    expect(runToCompletion(quoted.firstTime(call("y")))).toBeUndefined();
  });

  it("finds no span that reaches from one text into the next", () => {
    expect(search([call("x").slice(0, 20), call("x").slice(20)], [call("x")]).found).toBe(0);
  });

  it("takes a span for found where the search would take too long", () => {
    const { found } = search(
      ["ab".repeat(20_000)],
      many(300, (i) => `${"ab".repeat(300)}${i}`),
    );
    expect(found).toBeGreaterThan(0);
  });
});
