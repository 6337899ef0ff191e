// Events of a run → what a person sees of them, at a terminal that draws nothing over itself.
import { Writable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { ChatView } from "../../../../src/cli/chat/ChatView.ts";
import type { RunEvent } from "../../../../src/core/events/events.ts";
import type { ToolCall } from "../../../../src/core/messages.ts";

/** Dim stands in `‹›`, red in `«»`. */
function shown(...events: readonly RunEvent[]): string {
  let written = "";
  const output = Object.assign(
    new Writable({
      write: (chunk, _, done) => {
        written += String(chunk);
        done();
      },
    }),
    { isTTY: true, columns: 60, getColorDepth: () => 8 },
  );
  let now = 0;
  const monotonic = () => (now += 1_500);
  const redact = (text: string) => text.replaceAll("sk-secret", "[redacted]");
  const screen = new ChatView({ output, watched: true, draws: false, redact, clock: { monotonic } });
  screen.begin();
  for (const event of events) screen.show(event);
  screen.end();
  return written
    .replaceAll("\u001b[2m", "‹")
    .replaceAll("\u001b[22m", "›")
    .replaceAll("\u001b[31m", "«")
    .replaceAll("\u001b[39m", "»");
}

function call(id: string, name: string, args: string): ToolCall {
  return { id, name, arguments: args, origin: "native", repairs: [], raw: args };
}

function result(callId: string, name: string, content: string, isError = false): RunEvent {
  return { type: "tool-result", callId, name, content, isError };
}

describe("the screen of a chat", () => {
  it("parts thoughts from words, and has no empty line before either", () => {
    expect(
      shown(
        { type: "reasoning-delta", text: "\n\nHm" },
        { type: "reasoning-delta", text: "m." },
        { type: "text-delta", text: "\n" },
        { type: "text-delta", text: "\nYes.\n" },
        { type: "text-delta", text: "\nNo." },
      ),
    ).toBe("‹Hm›‹m.›\nYes.\n\nNo.\n\n");
  });

  it("takes an end of a line that came in two pieces for one, and a return alone for what it is", () => {
    expect(
      shown(
        { type: "text-delta", text: "one\r" },
        { type: "text-delta", text: "\ntwo\r" },
        { type: "text-delta", text: "over" },
        { type: "reasoning-delta", text: "a\r" },
        { type: "reasoning-delta", text: "\nb" },
      ),
    ).toBe("one\ntwo\\u000dover\n‹a›‹\nb›\n\n");
  });

  it("tells in a line each what is done beside the words, and no secret", () => {
    const nested = (event: RunEvent): RunEvent => ({ type: "nested", callId: "c1", agent: "clerk", event });
    expect(
      shown(
        { type: "plan", text: "first\nsecond" },
        { type: "tool-start", call: call("c1", "clerk", '{"task": "look", "key": "sk-secret"}') },
        nested({ type: "tool-start", call: call("c2", "http", '{"url": "http://x/?k=sk-secret"}') }),
        nested(result("c2", "http", "no\nroute", true)),
        result("c1", "clerk", "done"),
        { type: "attempt", n: 2, reason: "the call was cut" },
        { type: "handoff", from: "default", to: "billing", reason: "money" },
        { type: "context-trimmed", messages: 3, shortened: 0, tokensBefore: 9, tokensAfter: 5 },
        { type: "text-delta", text: "So." },
        { type: "run-end", outcome: "max-turns", turns: 1, sources: [{ title: "Bees", url: "http://b", tool: "web" }] },
      ),
    ).toBe(`‹· plan: first\\nsecond›
«✗ clerk › http http://x/?k=[redacted] · 1.5 s: no route»
‹✓ clerk {"task": "look", "key": "[redacted]"} · 4.5 s›
‹· asked again (2): the call was cut›
‹· default hands over to billing: money›
‹· the conversation was shortened: the model no longer reads all that was said before›
So.
‹· rests on:›
‹· 1. Bees http://b (web)›
‹· stopped: all turns that it may take are taken (\`max_turns\`)›

`);
  });

  it("tells a failure in red, line by line, and what was stopped as stopped", () => {
    const failed = (code: "upstream_error" | "cancelled", message: string): RunEvent => ({
      type: "turn-failed",
      failure: { fault: "upstream", code, message },
    });
    expect(shown({ type: "text-delta", text: "I beg" }, failed("upstream_error", "It broke.\nSee \u001b[2J."))).toBe(
      "I beg\n«failed: It broke.»\n«See \\u001b[2J.»\n\n",
    );
    expect(shown(failed("cancelled", "The run was cancelled."))).toBe("‹· stopped›\n\n");
  });
});
