// The quick check against the shape itself: it may know less than zod, and never anything else.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { bodyShape } from "../../../../src/server/apis/chatCompletions/readChatRequest.ts";
import { messageShape } from "../../../../src/server/apis/chatCompletions/readMessages.ts";
import { toolShape } from "../../../../src/server/apis/chatCompletions/toolSpecs.ts";
import { compileGuard } from "../../../../src/server/fastpath/compileGuard.ts";
import { anyObject, list, listField } from "../../../../src/server/validation/checkShape.ts";
import { runShape } from "../../../../src/server/validation/runFields.ts";

const CALL = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const TOOL = {
  type: "function",
  function: { name: "f", description: "d", parameters: { type: "object" }, strict: false },
};
const CUSTOM_CALL = { id: "c2", type: "custom", custom: { name: "g", input: "x" } };
const CUSTOM_TOOL = {
  type: "custom",
  custom: { name: "g", format: { type: "grammar", grammar: { syntax: "regex", definition: "x+" } } },
};
const ALLOWED = { mode: "required", tools: [{ type: "custom", custom: { name: "g" } }] };
const MESSAGES = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "hi" },
      { type: "image_url", image_url: { url: "data:," } },
    ],
    name: "u",
  },
  { role: "assistant", content: null, reasoning: "hm", tool_calls: [CALL, CUSTOM_CALL] },
  { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
  { role: "function", name: "f", content: "12" },
  { role: "tool", content: [{ type: "text", text: "12" }], tool_call_id: "c1" },
  { role: "developer", content: "x", annotations: [] },
];
const BODY = {
  model: "m",
  messages: MESSAGES,
  tools: [TOOL],
  tool_choice: { type: "function", function: { name: "f" } },
  parallel_tool_calls: false,
  stream: true,
  stream_options: { include_usage: true },
  n: 1,
  temperature: 0.5,
  top_p: 1,
  max_tokens: 5,
  stop: ["END"],
  seed: 7,
  presence_penalty: -2,
  logit_bias: { "50256": -100 },
  response_format: { type: "json_schema", json_schema: { name: "x", schema: {}, strict: true } },
  user: "u",
};
const OTHER_BODY = {
  model: "m",
  messages: MESSAGES,
  functions: [TOOL.function],
  function_call: { name: "f" },
  tool_choice: { type: "allowed_tools", allowed_tools: ALLOWED },
};
const RUN = { agent: "a", max_turns: 3, timeout_ms: 5, budget: { tokens: 9, money: 0.5 }, model: "m" };

/** What stands in a request of such a shape, and what a client may have put in the place of any of it. */
const SHAPES: readonly (readonly [string, z.ZodType, readonly object[]])[] = [
  ["a body", bodyShape, [BODY, OTHER_BODY]],
  ["a message", messageShape, MESSAGES],
  ["a tool", toolShape, [TOOL, CUSTOM_TOOL]],
  ["the fields of a run", runShape, [RUN]],
];
const WORDS = ["", "f", "text", "function", "required", "user", "json_schema", "a\nb", "x".repeat(300)];
const stray = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, 0, -0, 1, 1.5, -3, 2 ** 60, [], {}, ...WORDS),
  fc.constantFrom<unknown>(
    [{ type: "text", text: 1 }],
    [{ type: "text", text: "t" }],
    [null],
    { type: "auto" },
    { k: 1 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The value with something else in some of its places, known and unknown ones; JSON text has no other members than its own. */
function changed(value: object): fc.Arbitrary<unknown> {
  const places = [...placesOf(value), ["__proto__"], ["more"]];
  const change = fc.tuple(fc.constantFrom(...places), stray);
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const copy = structuredClone(value);
    for (const [place, put] of changes) putAt(copy, place, put);
    return copy;
  });
}

function placesOf(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...placesOf(inner).map((place) => [key, ...place])]);
}

function putAt(value: unknown, [key = "", ...rest]: readonly string[], put: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (rest.length > 0) putAt(Object.getOwnPropertyDescriptor(value, key)?.value, rest, put);
  else Object.defineProperty(value, key, { value: put, enumerable: true, configurable: true, writable: true });
}

describe.each(SHAPES)("the quick check of %s", (_name, shape, values) => {
  const fits = compileGuard(shape);

  it("takes what clients send", () => {
    expect(values.map(fits)).toEqual(values.map(() => true));
  });

  it("takes nothing that zod refuses or would change", () => {
    const seen = { fitting: 0, refused: 0 };
    const property = fc.property(fc.constantFrom(...values).chain(changed), (value) => {
      const result = shape.safeParse(value);
      if (fits(value)) {
        expect(result.success && result.data).toEqual(value);
        seen.fitting += 1;
      } else if (!result.success) seen.refused += 1;
    });
    fc.assert(property, { numRuns: 1_000 });
    expect(Math.min(seen.fitting, seen.refused)).toBeGreaterThan(50);
  });
});

describe("the quick check of other shapes", () => {
  it("is certain of nothing where a part is of a kind that it does not know", () => {
    const mended = z.string().trim();
    const unknown: readonly z.ZodType[] = [
      z.strictObject({}),
      z.object({}),
      mended,
      z.coerce.number(),
      z.string().regex(/a/g),
      z.string().transform(String),
    ];
    for (const part of unknown) {
      const around: readonly z.ZodType[] = [
        part,
        part.nullish(),
        z.array(part),
        z.union([part, z.string()]),
        z.looseObject({ part }),
      ];
      for (const shape of around)
        for (const value of ["a", " a", [], {}, 1]) expect(compileGuard(shape)(value)).toBe(false);
    }
  });

  it("takes the same as zod", () => {
    const shapes: readonly z.ZodType[] = [
      z.number().min(0).max(1).nullish(),
      z.int().min(1),
      z.string().min(1).max(3).optional(),
      z.enum(["a", "b"]),
      z.literal([1, "x"]),
      z.union([z.string().max(2), listField(z.literal("y")).refine((entries) => entries.length > 1)]),
      list,
      anyObject,
    ];
    const values = [
      null,
      undefined,
      0,
      1,
      1.5,
      -1,
      Number.NaN,
      Infinity,
      "",
      "a",
      "abcd",
      "x",
      [],
      ["y"],
      ["y", "y"],
      {},
    ];
    for (const shape of shapes) {
      expect(values.map(compileGuard(shape))).toEqual(values.map((value) => shape.safeParse(value).success));
    }
  });
});
