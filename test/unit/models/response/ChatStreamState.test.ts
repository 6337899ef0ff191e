// One stream of bytes, however it is cut and whether or not its chunks are read without being parsed: the same events, in the same order.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import { ChatStreamState } from "../../../../src/models/response/ChatStreamState.ts";
import { EventTimeout } from "../../../../src/models/response/EventTimeout.ts";
import { ResponseLimits } from "../../../../src/models/response/ResponseLimits.ts";
import { readChatBody } from "../../../../src/models/response/readChatBody.ts";
import { LIMITS } from "../../../support/defaults.ts";
import { delta } from "../../../support/FakeUpstream.ts";
import { runsOf } from "../../../support/sample.ts";

const LIMIT = { ...LIMITS, answerEvents: 60, answerChars: 4_000, callChars: 100 };

/** What came of it all. @param parsed whether every chunk is parsed. */
async function heard(pieces: readonly Uint8Array[], parsed: boolean) {
  const deadline = new EventTimeout(new AbortController().signal);
  const meter = new ResponseLimits(LIMIT);
  const whole = new ChatStreamState({
    usesTemplates: true,
    opened: { type: "opened", retries: 0 },
    refuse: (status, body) => createFailure("upstream_error", `${status} ${body}`),
    meter,
  });
  const exchange = {
    readLike: (data: string) => (parsed ? undefined : whole.readLike(data)),
    read: whole.read.bind(whole),
    hasEvents: false,
    isAnswer: () => true,
    markDone: () => whole.markDone(),
  };
  const body = (async function* () {
    yield* pieces;
  })();
  const timers = { firstEventMs: 5_000, idleMs: 5_000 };
  const batches: (readonly ModelEvent[])[] = [];
  let error: string | undefined;
  try {
    await readChatBody({ status: 200, headers: {}, body }, { deadline, timers, meter, exchange }, (said) => {
      batches.push(said);
      return undefined;
    });
    batches.push(whole.end());
  } catch (fault) {
    if (!(fault instanceof PostelError)) throw fault;
    error = fault.failure.message;
  } finally {
    deadline.dispose();
  }
  expect(batches.every((batch) => batch.length > 0)).toBe(true);
  return { events: batches.flat(), error, progress: meter.progress };
}

const words = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom("a", " the", '"', "\\", "\n", "\u2028", "🙂", "data: x", '"}]}\n\ndata: {'),
);
const field = fc.constantFrom("content", "content", "content", "reasoning_content");
const chunk = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(field, words).map(([name, text]) => JSON.stringify(delta({ [name]: text }))) },
  {
    weight: 3,
    arbitrary: words.map((text) =>
      JSON.stringify(delta({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("", "{}", "[]", "no JSON", '{"error":{"message":"no"}}', "[DONE]") },
  { weight: 1, arbitrary: fc.constant(JSON.stringify(delta({}, "stop"))) },
);
/** An event as it should be written, and in the other ways in which it may be. */
const event = fc
  .tuple(chunk, fc.constantFrom("usual", "usual", "usual", "usual", "crlf", "tight", "named", "comment", "lines"))
  .map(([data, way]) => {
    switch (way) {
      case "crlf":
        return `data: ${data}\r\n\r\n`;
      case "tight":
        return `data:${data}\n\n`;
      case "named":
        return `event: message\nid: 1\ndata: ${data}\n\n`;
      case "comment":
        return `: ping\n\ndata: ${data}\n\n`;
      case "lines":
        return `data: ${data.replace(/^\{/, "{\ndata: ")}\n\n`;
      default:
        return `data: ${data}\n\n`;
    }
  });

describe("ChatStreamState: any stream of bytes", () => {
  it("says the same at every cut, with and without patterns of its chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(event, fc.nat({ max: 5 })), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat({ max: 4_000 }), { maxLength: 6 }),
        fc.boolean(),
        async (events, cuts, mark) => {
          const text = (mark ? "\uFEFF" : "") + events.map(([one, again]) => one.repeat(again + 1)).join("");
          const bytes = new TextEncoder().encode(text);
          const places = [0, ...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
          const pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
          const expected = await heard([bytes], true);
          expect(await heard([bytes], false)).toEqual(expected);
          expect(await heard(pieces, false)).toEqual(await heard(pieces, true));
        },
      ),
      { numRuns: runsOf(300) },
    );
  });

  it("says the same byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 6 }), async (events) => {
        const bytes = new TextEncoder().encode(events.join(""));
        const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
        expect(await heard(single, false)).toEqual(await heard([bytes], true));
      }),
      { numRuns: 30 },
    );
  });
});
