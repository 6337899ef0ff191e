// A call means what it says, not how it is spelled: white space, the order of keys, quotation marks, fences, wrappers.

import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { request } from "../../support/modelTexts.ts";
import { meaningOf, runParser } from "../../support/parserRuns.ts";
import { runsOf } from "../../support/sample.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const circumstances = request({ tools: [{ name: "plot_course", parameters: { type: "object", properties: {} } }] });

/** Words and signs that no quotation mark of a spelling can be mistaken for. */
const words = fc.stringMatching(/^[a-zé ,.:{}[\]<>/=\\\n]{0,12}$/);
const keys = fc.stringMatching(/^[a-z_]{1,8}$/).filter((key) => !["name", "arguments"].includes(key));
const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    words,
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 3 }),
  ),
}));
const args = fc.dictionary(keys, values, { minKeys: 1, maxKeys: 4 });

interface Spelling {
  readonly blank: string;
  readonly quote: '"' | "'";
  readonly spareComma: boolean;
  readonly isReversed: boolean;
  readonly isPython: boolean;
  readonly wrap: (body: string) => string;
}

const spellings: fc.Arbitrary<Spelling> = fc.record({
  blank: fc.constantFrom("", " ", "\n", "\n  "),
  quote: fc.constantFrom('"' as const, "'" as const),
  spareComma: fc.boolean(),
  isReversed: fc.boolean(),
  isPython: fc.boolean(),
  wrap: fc.constantFrom(
    (body: string) => `<tool_call>${body}</tool_call>`,
    (body: string) => `<tool_call>\n${body}\n</tool_call>`,
    (body: string) => `<tool_call>\n\`\`\`json\n${body}\n\`\`\`\n</tool_call>`,
    (body: string) => `<tool_call>[${body}]</tool_call>`,
  ),
});

/** JSON, or what models write for it. */
function spell(value: unknown, how: Spelling): string {
  const { blank, quote, spareComma, isPython } = how;
  if (typeof value === "string") {
    const inner = JSON.stringify(value).slice(1, -1);
    return `${quote}${inner}${quote}`;
  }
  if (value === null) return isPython ? "None" : "null";
  if (typeof value === "boolean") return isPython ? (value ? "True" : "False") : String(value);
  if (typeof value !== "object") return String(value);
  const parts = Array.isArray(value)
    ? value.map((one) => spell(one, how))
    : ordered(Object.entries(value), how).map(([key, one]) => `${spell(key, how)}:${blank}${spell(one, how)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const spare = spareComma && parts.length > 0 ? "," : "";
  return `${open}${blank}${parts.join(`,${blank}`)}${spare}${blank}${close}`;
}

function ordered<T>(entries: readonly T[], { isReversed }: Spelling): readonly T[] {
  return isReversed ? entries.toReversed() : entries;
}

it("another spelling of the same call gives the same call", () => {
  fc.assert(
    fc.property(args, spellings, (given, how) => {
      const text = how.wrap(spell({ name: "plot_course", arguments: given }, how));
      const { calls, issues, content } = meaningOf(runParser([text], circumstances));
      expect(calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) as Json }))).toEqual([
        { name: "plot_course", arguments: { ...given } },
      ]);
      expect({ issues, content }).toEqual({ issues: [], content: null });
    }),
    { numRuns: runsOf(1_000) },
  );
});
