import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import type { RunEvent, TurnEnd } from "../../../src/core/events/events.ts";
import { createFailure } from "../../../src/core/failures.ts";
import type { Observation } from "../../../src/core/ports.ts";
import { createObserver } from "../../../src/telemetry/createObserver.ts";
import { createRedact } from "../../../src/telemetry/redaction/createRedact.ts";

/** What stands on the output after these happened, colours taken out. */
function shown(isTTY: boolean, ...observations: readonly Observation[]): string {
  const output = Object.assign(new PassThrough(), { isTTY });
  const observer = createObserver(output, { redact: createRedact(["s3cret-value"]), now: () => 0 });
  for (const observation of observations) observer.observe(observation);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
  return String(output.read() ?? "").replaceAll(/\u001b\[\d+m/g, "");
}

const SAID = "PRIVATE";
const call = (origin: string, repairs: readonly string[]) => ({
  id: "c",
  name: "clock",
  arguments: SAID,
  origin,
  repairs,
  raw: SAID,
});
const asked = (model: string): Observation => ({
  type: "request-received",
  run: "r",
  request: { path: "/v1/agent", body: { model, messages: [{ role: "user", content: SAID }] } },
});
const event = (one: RunEvent): Observation => ({ type: "run-event", run: "r", event: one });
const turnStart = event({ type: "turn-start", model: "llama-3", toolMode: "text", row: "llama-*" });
const turnEnd = (fields: Partial<TurnEnd>): Observation =>
  event({
    type: "turn-end",
    finishReason: "stop",
    upstreamFinishReason: "stop",
    usagePartial: false,
    attempts: 1,
    retries: 0,
    ...fields,
  });
const request = (fields: Partial<Extract<Observation, { type: "request" }>> = {}): Observation => ({
  type: "request",
  run: "r",
  method: "POST",
  path: "/v1/agent",
  status: 200,
  ms: 1_234,
  aborted: false,
  ...fields,
});

describe("the log on a terminal", () => {
  it("says who called where callers are told apart", () => {
    expect(shown(true, request({ caller: "alice" }))).toContain("POST /v1/agent · from alice · 1.2 s");
    expect(shown(true, request({ caller: "local" }))).toContain("POST /v1/agent · 1.2 s");
  });

  it("is one line a request: model, row, mode, formats, repairs, attempts, times; and nothing that was said", () => {
    const text = shown(
      true,
      asked("llama-3"),
      { type: "exchange", kind: "model", run: "r", key: "up/llama-3", status: 200, ms: 340.4 },
      turnStart,
      { type: "retry", run: "r", key: "up/llama-3", reason: "status 429" },
      event({ type: "text-delta", text: SAID }),
      event({ type: "format-issue", issue: { code: "malformed-call", message: SAID, raw: SAID } }),
      event({ type: "attempt", n: 2, reason: "malformed-call" }),
      event({ type: "tool-start", call: call("hermes-json", ["quotes"]) }),
      event({ type: "tool-result", callId: "c", name: "clock", content: SAID, isError: false }),
      { type: "parsed", run: "r", ms: 2.2 },
      turnEnd({ attempts: 2 }),
      turnStart,
      { type: "parsed", run: "r", ms: 0.9 },
      turnEnd({}),
      event({ type: "run-end", outcome: "answered", turns: 2 }),
      request(),
    );
    expect(text.split("\n")).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d 200 POST \/v1\/agent · 1\.2 s \(first byte 340 ms\) · llama-3 · row llama-\* · text · read hermes-json · parsed in 3 ms · repaired quotes · issues malformed-call · ran clock · 3 attempts · 1 retry · answered$/,
      ),
      "",
    ]);
    expect(text).not.toContain(SAID);
  });

  it("says why a request failed, on the same line, and that the client left", () => {
    const refused = shown(
      true,
      asked("m"),
      turnStart,
      event({ type: "turn-failed", failure: createFailure("upstream_timeout", "nothing for 300 s") }),
      request({ status: 504, aborted: true, ms: 5 }),
    );
    expect(refused).toMatch(
      / 504 POST \/v1\/agent · 5 ms · m → llama-3 · .*1 attempt · upstream_timeout: nothing for 300 s · the client left\n$/,
    );
    expect(
      shown(
        true,
        { type: "failure", run: "r", failure: createFailure("invalid_json", "line 1") },
        request({ status: 400 }),
      ),
    ).toContain("400 POST /v1/agent · 1.2 s · invalid_json: line 1");
  });

  it("tells two requests at once apart, and forgets those that are over", () => {
    const text = shown(true, asked("m"), request({ run: "other", path: "/v1/models" }), request(), request());
    expect(text.split("\n").map((line) => line.split(" · ").at(-1))).toEqual(["1.2 s", "m", "1.2 s", ""]);
  });

  it("says when a model will be asked otherwise", () => {
    const evidence = { refused: "tools", reason: "refused tools", at: 1 } as const;
    expect(shown(true, { type: "evidence", key: "up/m", evidence })).toContain(
      "up/m is asked without tools from now on: refused tools",
    );
  });

  it("shows no secret, and lets no caller steer the terminal or forge a line", () => {
    const text = shown(true, asked("s3cret-value\u001b[31m\n00:00:00 200\u202e"), request({ path: "/a\u009b" }));
    expect(text.trimEnd()).toBe(text.slice(0, -1));
    expect(text).toContain("/a\\u009b · 1.2 s · [redacted]\\u001b[31m 00:00:00 200\\u202e");
  });

  it("is JSON where no person reads it", () => {
    expect(JSON.parse(shown(false, request()))).toMatchObject({ msg: "request", status: 200 });
  });
});
