// A chunk that is as the one before but for its words: read off its text, it says what it says when it is parsed.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import type { JsonObject, JsonValue } from "../../../../src/core/messages.ts";
import { asObject, parseJson } from "../../../../src/models/looseJson.ts";
import { ChatStreamState } from "../../../../src/models/response/ChatStreamState.ts";
import { ChunkTemplate } from "../../../../src/models/response/ChunkTemplate.ts";
import { ResponseLimits } from "../../../../src/models/response/ResponseLimits.ts";
import { LIMITS } from "../../../support/defaults.ts";
import { runsOf } from "../../../support/sample.ts";

interface Heard {
  readonly events: readonly ModelEvent[];
  /** Chunks that were not parsed. */
  readonly spared: number;
  readonly error: string | undefined;
  readonly finished: boolean;
  readonly reasoningField: string | undefined;
  readonly progress: number;
}

/** @param parsed whether every chunk is parsed. */
function hear(stream: readonly string[], parsed: boolean): Heard {
  const meter = new ResponseLimits({ ...LIMITS, answerChars: 400, callChars: 120 });
  const exchange = new ChatStreamState({
    usesTemplates: true,
    opened: { type: "opened", retries: 0 },
    refuse: (status, body) => createFailure("upstream_error", `${status} ${body}`),
    meter,
  });
  const events: ModelEvent[] = [];
  let spared = 0;
  let error: string | undefined;
  try {
    for (const data of stream) {
      const like = parsed ? undefined : exchange.readLike(data);
      if (like) {
        spared += 1;
        events.push(like);
        continue;
      }
      const chunk = asObject(parseJson(data));
      if (!chunk) throw new PostelError(createFailure("upstream_protocol_error", "no JSON"));
      exchange.read(chunk, events, parsed ? undefined : data);
    }
    events.push(...exchange.end());
  } catch (fault) {
    if (!(fault instanceof PostelError)) throw fault;
    error = fault.failure.message;
  }
  const { finished, reasoningField } = exchange;
  return { events, spared, error, finished, reasoningField, progress: meter.progress };
}

function expectSame(stream: readonly string[]): number {
  const { spared, ...heard } = hear(stream, false);
  const { spared: none, ...expected } = hear(stream, true);
  expect(heard).toEqual(expected);
  expect(none).toBe(0);
  return spared;
}

const META = { id: "c1", object: "chat.completion.chunk", created: 7, model: "m" };

/** Chunks as servers of some makes write them, with a gap for a text. */
const SHAPES: Readonly<Record<string, (text: string) => JsonObject>> = {
  vllm: (content) => ({
    ...META,
    choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
  }),
  thinking: (text) => ({
    ...META,
    choices: [{ index: 0, delta: { reasoning_content: text }, finish_reason: null }],
  }),
  llamaCpp: (content) => ({
    choices: [{ finish_reason: null, index: 0, delta: { content } }],
    ...META,
    system_fingerprint: "b1",
  }),
  ollama: (content) => ({
    ...META,
    system_fingerprint: "fp",
    choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }],
  }),
  padded: (content) => ({
    ...META,
    service_tier: "default",
    choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
    usage: null,
    obfuscation: "x".repeat((content.length * 7) % 11),
  }),
  arguments: (text) => ({
    ...META,
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, function: { arguments: text } }] },
        finish_reason: null,
      },
    ],
  }),
  named: (text) => ({
    choices: [
      {
        delta: {
          tool_calls: [{ index: 1, id: "a", function: { name: "f", arguments: text } }],
        },
      },
    ],
  }),
};

describe("a chunk like the one before", () => {
  it.each(Object.keys(SHAPES))("is not parsed: %s", (name) => {
    const texts = ["The", " tide", ' "is"', "\n\n", " é🙂 and somewhat longer than the others", "{}"];
    const stream = texts.map((text) => JSON.stringify(SHAPES[name]?.(text)));
    // The first tells what is repeated, and that may take two where a field is told once.
    expect(expectSame(stream)).toBeGreaterThanOrEqual(texts.length - 2);
  });

  it("may be written with blanks behind its colons", () => {
    const stream = ["a", "b", "c"].map((text) => `{"choices": [{"index": 0, "delta": {"content": "${text}"}}]}`);
    expect(expectSame(stream)).toBe(2);
  });

  it.each<readonly [what: string, first: string, next: string]>([
    ["the same thought in two fields", thought("hm", "hm"), thought("hm, no", "hm")],
    ["one field twice", twice("a", "b"), twice("c", "b")],
    ["words that are one of two parts", parts("a", "b"), parts("a", "c")],
    ["a field of the same name beside it", beside("a", "b"), beside("a", "c")],
    ["a text that looks like a field", said('"content":"x"'), said('"content":"y"')],
    ["a text that looks like padding", said(',"obfuscation":"x"}'), said(',"obfuscation":"y"}')],
    ["padding that is no string", said("a", ',"obfuscation":"x"'), said("a", ',"obfuscation":"x","y":"z"')],
    ["a quote too early", said("a"), said("a").replace('"a"', '"a","finish_reason":"stop"')],
    ["a control character", said("a"), said("a").replace('"a"', '"\n"')],
    ["half an escape", said("a"), said("a").replace('"a"', '"\\"')],
    ["half a character", said("a"), said("a").replace('"a"', '"\\ud83d"')],
    ["no words", said("a"), said("")],
    ["the mark of a proof", said("~"), said("b")],
    ["an end in the same breath", ended("a"), ended("b")],
    ["another choice", said("a"), said("a").replace('"index":0', '"index":1')],
  ])("says what it says when parsed, with %s", (_, first, next) => {
    expectSame([first, next]);
    expectSame([next, first]);
    expectSame([first, first, next, next, first]);
    expectSame([said("x"), first, said("y"), next, said("z")]);
  });

  it("is held to the same limits", () => {
    const long = Array.from({ length: 60 }, () => said("some words"));
    expect(hear(long, false).error).toMatch("more than 400 characters");
    expectSame(long);
    expectSame(Array.from({ length: 20 }, () => JSON.stringify(SHAPES.arguments?.("12345"))));
  });

  it("is no longer looked for where every chunk says something new", () => {
    const stream = Array.from({ length: 20 }, (_, n) => JSON.stringify({ ...SHAPES.vllm?.("a"), id: `c${n}` }));
    expect(expectSame([...stream, said("a"), said("b")])).toBe(0);
  });

  it("has a pattern only where it is short and says one thing", () => {
    expect(ChunkTemplate.of(said("a".repeat(5_000)), { type: "text", text: "a".repeat(5_000) })).toBeUndefined();
    expect(ChunkTemplate.of(said("a"), { type: "text", text: "b" })).toBeDefined();
    expect(ChunkTemplate.of(parts("a", "b"), { type: "text", text: "ab" })).toBeUndefined();
    expect(ChunkTemplate.of(said("a"), { type: "end", finishReason: null })).toBeUndefined();
  });
});

describe("any stream", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("~", "", '"', "\\", '","content":"', '"}', ',"obfuscation":"a"}', "\u2028", "\ud83d", "a\nb"),
  );
  const shaped = fc
    .tuple(fc.constantFrom(...Object.keys(SHAPES)), fc.array(text, { minLength: 1, maxLength: 5 }))
    .map(([name, texts]) => texts.map((one) => JSON.stringify(SHAPES[name]?.(one))));
  const odd = fc
    .tuple(text, text, fc.constantFrom(thought, twice, parts, beside))
    .map(([first, next, write]) => [write(first, first), write(next, first), write(next, next)]);
  /** One character of a text is another. */
  const harmed = fc
    .tuple(shaped, fc.nat(), fc.nat(400), fc.constantFrom('"', "\\", "\n", "}", ",", "", " ", "x"))
    .map(([stream, which, at, by]) =>
      stream.map((data, n) => (n === which % stream.length ? data.slice(0, at) + by + data.slice(at + 1) : data)),
    );
  const others = fc.constantFrom<JsonValue>(
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    {
      ...META,
      system_fingerprint: "other",
      choices: [{ delta: { content: "a" } }],
    },
    { choices: [{ delta: {}, finish_reason: "stop" }] },
    { error: { message: "no", code: 500 } },
    { error: { failed_generation: "text" } },
  );

  it("says the same with and without patterns", () => {
    const piece = fc.oneof(
      { weight: 6, arbitrary: shaped },
      { weight: 2, arbitrary: odd },
      { weight: 2, arbitrary: harmed },
      { weight: 1, arbitrary: others.map((chunk) => [JSON.stringify(chunk)]) },
    );
    let spared = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        spared += expectSame(pieces.flat());
      }),
      { numRuns: runsOf(1_500) },
    );
    expect(spared).toBeGreaterThan(1_000);
  });
});

function said(content: string, behind = ""): string {
  return `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]${behind}}`;
}

function ended(content: string): string {
  return `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}},"finish_reason":"stop"}]}`;
}

function thought(one: string, other: string): string {
  return JSON.stringify({
    choices: [{ delta: { reasoning_content: one, reasoning: other } }],
  });
}

function twice(one: string, other: string): string {
  return `{"choices":[{"delta":{"content":${JSON.stringify(one)},"content":${JSON.stringify(other)}}}]}`;
}

function parts(one: string, other: string): string {
  const content = [
    { type: "thinking", thinking: one },
    { type: "thinking", thinking: other },
  ];
  return JSON.stringify({ choices: [{ delta: { content } }] });
}

function beside(one: string, other: string): string {
  return JSON.stringify({
    choices: [{ delta: { content: one } }],
    content: other,
  });
}
