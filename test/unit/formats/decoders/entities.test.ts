// Entities in values between tags: five are decoded, once; no reference makes a character that no text may hold, and none vanishes.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { callsIn, eventsOf } from "../../../support/parserRuns.ts";

const tool = {
  name: "f",
  parameters: { type: "object", properties: { s: { type: "string" }, o: { type: "object" } } },
};

/** Where a value may stand that is XML, or nearly. */
const PLACES: Readonly<Record<string, (value: string) => string>> = {
  "an element": (value) => `<tool_call><name>f</name><arguments><s>${value}</s></arguments></tool_call>`,
  "an element in an element": (value) =>
    `<tool_call><name>f</name><arguments><o><k>${value}</k></o></arguments></tool_call>`,
  "an element named after its tool": (value) => `<f>\n<s>${value}</s>\n</f>`,
  "a parameter": (value) => `<function=f><parameter=s>${value}</parameter></function>`,
  "an invocation": (value) =>
    `<function_calls><invoke name="f"><parameter name="s">${value}</parameter></invoke></function_calls>`,
  "a pair": (value) => `<tool_call>f<arg_key>s</arg_key><arg_value>${value}</arg_value></tool_call>`,
};
/** In these the five are what they name; in the others a value is raw. */
const DECODED: ReadonlySet<string> = new Set([
  "an element",
  "an element in an element",
  "an element named after its tool",
]);

function sentIn(place: string, value: string): string {
  const [call] = callsIn(eventsOf(PLACES[place]?.(value) ?? "", [tool]));
  const sent: string = JSON.parse(JSON.stringify({ arguments: call?.arguments ?? "" })).arguments;
  const args: { readonly s?: string; readonly o?: { readonly k: string } } = JSON.parse(sent);
  return args.s ?? args.o?.k ?? "";
}

describe.each(Object.keys(PLACES))("in %s", (place) => {
  it.each([
    ["NUL", "&#0;"],
    ["NUL in hexadecimal", "&#x0;"],
    ["half of a pair", "&#xD800;"],
    ["two halves", "&#xD83D;&#xDE00;"],
    ["a control character", "&#1;&#8;&#x1f;"],
    ["no character at all", "&#xFFFE;&#xFFFF;"],
    ["beyond the last plane", "&#x110000;&#99999999999;"],
    ["nothing", "&#;&#x;&;&&"],
    ["an entity of HTML", "&nbsp;&copy;&inr;"],
  ])("a reference to %s stays as it is written", (_what, reference) => {
    expect(sentIn(place, `a${reference}b`)).toBe(`a${reference}b`);
  });

  it("the five are decoded where values are encoded, and only once", () => {
    const decoded = DECODED.has(place);
    expect(sentIn(place, "&lt;b&gt; &amp;amp; &quot;&apos;")).toBe(
      decoded ? "<b> &amp; \"'" : "&lt;b&gt; &amp;amp; &quot;&apos;",
    );
    expect(sentIn(place, "&amp;#0;")).toBe(decoded ? "&#0;" : "&amp;#0;");
  });

  it("twenty thousand of them do not end the decoding", () => {
    const many = "&lt;".repeat(20_000);
    expect(sentIn(place, `a${many}b`)).toBe(DECODED.has(place) ? `a${"<".repeat(20_000)}b` : `a${many}b`);
  });

  it("whatever stands there, what is sent is well-formed and holds no NUL of ours", () => {
    const reference = fc.oneof(
      fc.nat(0x120000).map((code) => `&#${code};`),
      fc.nat(0x120000).map((code) => `&#x${code.toString(16)};`),
      fc.constantFrom(
        "&lt;",
        "&amp;",
        "&quot;",
        "&apos;",
        "&gt;",
        "&nbsp;",
        "&#",
        "&",
        ";",
        "#0;",
        "x",
        "é",
        "\u{1f600}",
      ),
    );
    fc.assert(
      fc.property(fc.array(reference, { minLength: 1, maxLength: 6 }), (parts) => {
        const value = sentIn(place, `v${parts.join("")}v`);
        expect(value.isWellFormed()).toBe(true);
        expect(value).not.toContain("\0");
        expect(value.replace(/&(?:amp|lt|gt|quot|apos);|[&<>"']/g, "")).toBe(
          `v${parts.join("")}v`.replace(/&(?:amp|lt|gt|quot|apos);|[&<>"']/g, ""),
        );
      }),
      { numRuns: 150 },
    );
  });
});

it("an element may be called like a property of all objects", () => {
  const value = "<constructor>1</constructor><toString>x</toString><__proto__>y</__proto__><_a>z</_a>";
  const text = `<tool_call><name>f</name><arguments><o>${value}</o></arguments></tool_call>`;
  expect(callsIn(eventsOf(text, [tool])).map((call) => call.arguments)).toEqual([
    '{"o":{"constructor":"1","toString":"x","__proto__":"y","_a":"z"}}',
  ]);
});
