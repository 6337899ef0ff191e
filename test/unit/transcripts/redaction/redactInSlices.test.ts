// What is redacted in steps is redacted as at once, wherever a secret stands, and the event loop has its turns.
import { describe, expect, it } from "@jest/globals";
import { runToCompletion } from "../../../../src/core/async/yieldToEventLoop.ts";
import { redactJson } from "../../../../src/core/json/redactJson.ts";
import type { JsonValue } from "../../../../src/core/messages.ts";
import { createRedact } from "../../../../src/telemetry/redaction/createRedact.ts";
import { redactBody } from "../../../../src/transcripts/redaction/redactBody.ts";
import { StepRedactor, type Steps } from "../../../../src/transcripts/redaction/redactInSlices.ts";

const SECRET = "house-secret-7788";
const PIECE = 131_072;
const redact = createRedact([SECRET]);

function inSteps<T>(make: (redactor: StepRedactor) => Steps<T>): T {
  return runToCompletion(make(new StepRedactor(redact)));
}

describe("a long text", () => {
  it.each([
    ["a secret", SECRET],
    ["a secret's beginning", "house-s"],
    ["a bearer token", "bearer abcdefgh12345678"],
    ["a word that ends like a key begins", "ask-abcdefgh12345678"],
  ])("is cut nowhere in %s", (_, word) => {
    for (let before = PIECE - word.length - 1; before <= PIECE + 1; before += 1) {
      const text = `${"x ".repeat(before / 2 - 3).padEnd(before)}${word} ${"y ".repeat(40_000)}`;
      expect(inSteps((redactor) => redactor.text(text)) === redact(text)).toBe(true);
    }
  });

  it("of nothing but secrets loses each of them", () => {
    const text = `${SECRET}, `.repeat(30_000);
    expect(inSteps((redactor) => redactor.text(text)) === "[redacted], ".repeat(30_000)).toBe(true);
  });
});

describe("a JSON value", () => {
  it.each<[string, JsonValue]>([
    ["without a secret is itself", { a: [1, null, "x", { b: true }], c: "" }],
    ["with a secret in a text, a key and a list", { [`k ${SECRET}`]: [SECRET, { deep: `a ${SECRET} b` }], c: 1 }],
  ])("%s", (_, value) => {
    const redacted = inSteps((redactor) => redactor.value(value));
    expect(redacted).toEqual(redactJson(value, redact));
    expect(redacted === value).toBe(redactJson(value, redact) === value);
  });
});

describe("the event loop has a turn for each piece", () => {
  const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  it.each([
    ["of a stream", delta("some words ").repeat(15_000)],
    ["of a stream that cuts a secret", `${delta("house-se").repeat(5_000)}${delta("cret-7788").repeat(5_000)}`],
    ["of a document of one text", JSON.stringify({ choices: [{ message: { content: "word ".repeat(200_000) } }] })],
    ["of a document of many numbers", JSON.stringify(Array(200_000).fill(1))],
    ["of plain text", "word ".repeat(200_000)],
  ])("%s", (_, text) => {
    const steps = redactBody(text, redact);
    let turns = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) turns += 1;
    expect(turns).toBeGreaterThanOrEqual(Math.floor(text.length / PIECE));
    expect(step.value.includes(SECRET)).toBe(false);
  });
});
