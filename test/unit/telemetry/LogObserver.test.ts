import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { RunEvent } from "../../../src/core/events/events.ts";
import { createFailure } from "../../../src/core/failures.ts";
import { redactJson } from "../../../src/core/json/redactJson.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { Observation } from "../../../src/core/ports.ts";
import { createLogger } from "../../../src/telemetry/createLogger.ts";
import { escapeControls } from "../../../src/telemetry/escapeControls.ts";
import { LogObserver } from "../../../src/telemetry/LogObserver.ts";
import { createRedact } from "../../../src/telemetry/redaction/createRedact.ts";
import { runsOf } from "../../support/sample.ts";

type Line = Record<string, unknown>;

function logging(secrets: readonly string[] = []): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, logger: createLogger({ level: "debug", redact: createRedact(secrets), destination }) };
}

function logOf(...observations: Observation[]): Line[] {
  const { lines, logger } = logging();
  const observer = new LogObserver(logger);
  for (const observation of observations) observer.observe(observation);
  return lines.map((line) => JSON.parse(line) as Line);
}

describe("createRedact", () => {
  const secret = 'p/w "x" ü9';
  const redact = createRedact([secret, "hunter2", "hunter2-longer", "x"]);

  it.each([
    ["as it is", secret],
    ["URL-encoded", encodeURIComponent(secret)],
    ["JSON-escaped", JSON.stringify(secret).slice(1, -1)],
    ["in base64", Buffer.from(secret).toString("base64")],
  ])("takes a known secret out %s", (_, spelling) => {
    expect(redact(`before ${spelling} after`)).toBe("before [redacted] after");
  });

  it("takes the longest of two overlapping secrets out whole", () => {
    expect(redact("hunter2-longer hunter2")).toBe("[redacted] [redacted]");
  });

  it("takes out bearer tokens and sk- keys that nobody told it of", () => {
    expect(redact("Authorization: Bearer abc.DEF-123_456==")).toBe("Authorization: Bearer [redacted]");
    expect(redact('{"key":"sk-proj-abcdefgh12345"}')).toBe('{"key":"[redacted]"}');
  });

  it("leaves ordinary text alone, one-letter dummies included", () => {
    const text = "the task-force said: a bearer token is next, 6 x 7, risk-assessment";
    expect(redact(text)).toBe(text);
  });
});

describe("createLogger", () => {
  it("writes one JSON line an event, with level and time as words", () => {
    const { lines, logger } = logging();
    logger.info({ run: "r1" }, "hello");
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith("\n")).toBe(true);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      run: "r1",
      msg: "hello",
      time: expect.any(String),
    });
  });

  it("escapes what would steer a terminal or forge a line", () => {
    const { lines, logger } = logging();
    const hostile = 'a\n{"level":"info"}\u001b[31m\u009b\u007f\u2028\u202e';
    logger.info(hostile);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(lines.join("").trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: hostile });
  });

  it("lets no secret into a line, whatever field it is in, and the line stays JSON", () => {
    const { lines, logger } = logging(["s3cret-value"]);
    logger.warn(
      { deep: { list: ["s3cret-value"] }, url: "https://u:s3cret-value@h/" },
      "key s3cret-value, Bearer abcdefghij",
    );
    expect(lines.join("")).not.toMatch(/s3cret-value|abcdefghij/);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ deep: { list: ["[redacted]"] } });
  });
});

describe("a line of the log", () => {
  const SECRETS = ["s3cret-value", 'say "x" 9', "12345678", "word-secret+1", "hunter", "caf\u00e9-key"];
  const spelled = fc
    .tuple(
      fc.constantFrom(...SECRETS),
      fc.constantFrom(
        (text: string) => text,
        (text: string) => Buffer.from(text).toString("hex"),
        (text: string) => Buffer.from(text).toString("hex").toUpperCase(),
        (text: string) => Buffer.from(`a${text}`).toString("base64"),
        encodeURIComponent,
        (text: string) => text.replaceAll(" ", "+"),
        (text: string) => text.slice(0, 6),
      ),
    )
    .map(([secret, spell]) => spell(secret));
  const word = fc.oneof(
    spelled,
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constantFrom(
      "plain words",
      "sk-abcdefgh1",
      "Bearer abcdefgh1",
      "bearer",
      " ",
      "\\",
      "\u001b[31m",
      "3w-",
      "&amp;",
      "%",
    ),
  );
  const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(""));
  const key = fc.oneof(spelled, fc.constantFrom("run", "ms", "path")).map((name) => `k_${name}`);
  const value = fc.oneof(text, fc.integer(), fc.constantFrom(12_345_678, 0.1, 1e21, true, null), fc.array(text));

  it("is redacted text by text and made JSON again, whatever is in it", () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4 }), text, (fields, msg) => {
        const { lines, logger } = logging(SECRETS);
        logger.info(fields, msg);
        const { time } = JSON.parse(lines[0] ?? "") as { time: string };
        const whole = { level: "info", time, ...fields, msg } as JsonObject;
        expect(lines[0]).toBe(`${escapeControls(JSON.stringify(redactJson(whole, createRedact(SECRETS))))}\n`);
      }),
      { numRuns: runsOf(500) },
    );
  });
});

describe("LogObserver", () => {
  it("logs exchanges, retries, requests and evidence with what they are counted by", () => {
    const evidence = { refused: "tools", reason: "refused tools", at: 1 } as const;
    const lines = logOf(
      { type: "exchange", run: "r", kind: "model", key: "up/m", status: 200, ms: 12.6 },
      { type: "retry", run: "r", key: "up/m", reason: "status 429" },
      {
        ...{ type: "request", run: "r", method: "POST", path: "/v1/agent", status: 200, ms: 20, aborted: false },
        caller: "alice",
      },
      { type: "evidence", key: "up/m", evidence },
    );
    expect(lines.map(({ msg, level }) => [msg, level])).toEqual([
      ["exchange", "info"],
      ["retry", "warn"],
      ["request", "info"],
      ["evidence", "info"],
    ]);
    expect(lines[0]).toMatchObject({ run: "r", key: "up/m", status: 200, ms: 13 });
    expect(lines[2]).toMatchObject({ run: "r", caller: "alice" });
  });

  it("says the first exchange of a request that was accepted in the request's own line, and no other one there", () => {
    const exchange = { type: "exchange", run: "a", kind: "model", key: "up/m", status: 200, ms: 12.6 } as const;
    const asked = { path: "/v1/agent", body: { model: "m", messages: [] } } as const;
    const over = { type: "request", method: "POST", path: "/v1/agent", status: 200, ms: 20, aborted: false } as const;
    const lines = logOf(
      { type: "request-received", run: "a", request: asked },
      exchange,
      { ...exchange, kind: "tool", key: "tool.test", ms: 3 },
      { ...over, run: "a" },
      { type: "request-received", run: "b", request: asked },
      { ...exchange, run: "b", status: 503 },
      { ...over, run: "b" },
    );
    expect(lines.map(({ msg, run }) => [msg, run])).toEqual([
      ["exchange", "a"],
      ["request", "a"],
      ["exchange", "b"],
      ["request", "b"],
    ]);
    expect(lines[0]).toMatchObject({ key: "tool.test" });
    expect(lines[1]).toMatchObject({ upstream: "up/m", firstByteMs: 13 });
    expect(lines[2]).toMatchObject({ status: 503 });
    expect(lines[3]).not.toHaveProperty("upstream");
  });

  it("says the upstream of a request that first looked for memories as the one that answered it", () => {
    const exchange = { type: "exchange", run: "a", status: 200 } as const;
    const lines = logOf(
      { type: "request-received", run: "a", request: { path: "/v1/agent", body: { model: "m", messages: [] } } },
      { ...exchange, kind: "memory", key: "embed/small", ms: 3 },
      { ...exchange, kind: "model", key: "up/m", ms: 12.6 },
      { type: "request", run: "a", method: "POST", path: "/v1/agent", status: 200, ms: 20, aborted: false },
    );
    expect(lines[0]).toMatchObject({ msg: "exchange", key: "embed/small" });
    expect(lines[1]).toMatchObject({ msg: "request", upstream: "up/m", firstByteMs: 13 });
  });

  it("says of a request how long what its model wrote was parsed in all, where it was", () => {
    const request = {
      type: "request",
      method: "POST",
      path: "/v1/agent",
      status: 200,
      ms: 20,
      aborted: false,
    } as const;
    const lines = logOf(
      { type: "parsed", run: "a", ms: 1.26 },
      { type: "parsed", run: "a", ms: 0.5 },
      { ...request, run: "a" },
      { ...request, run: "a" },
      { ...request, run: "b" },
    );
    expect(lines.map(({ parseMs }) => parseMs)).toEqual([1.8, undefined, undefined]);
  });

  it("says of a request the name that was asked and the model that was, once each", () => {
    const request = {
      type: "request",
      run: "a",
      method: "POST",
      path: "/p",
      status: 200,
      ms: 1,
      aborted: false,
    } as const;
    const body = { model: "claude-x" };
    const [line, after] = logOf(
      { type: "request-received", run: "a", request: { path: "/v1/agent", body } },
      { type: "run-event", run: "a", event: { type: "turn-start", model: "qwen3", toolMode: "text", row: "qwen*" } },
      request,
      request,
    ).filter(({ msg }) => msg === "request");
    expect(line).toMatchObject({ asked: "claude-x", model: "qwen3" });
    expect(after).not.toHaveProperty("asked");
  });

  it("says in one line of a request what came of it, and nothing of what there was not", () => {
    const call = { id: "c", name: "clock", arguments: "{}", origin: "hermes-json", repairs: ["quotes"], raw: "" };
    const usage = { promptTokens: 5, completionTokens: 2, totalTokens: 7 };
    const turn = { usage, usagePartial: false, attempts: 2, retries: 0 } as const;
    const events: readonly RunEvent[] = [
      { type: "turn-start", model: "llama-3", toolMode: "text", row: "llama-*" },
      { type: "text-delta", text: "PRIVATE" },
      { type: "tool-start", call },
      { type: "tool-result", callId: "c", name: "clock", content: "PRIVATE", isError: true },
      { type: "turn-end", finishReason: "stop", upstreamFinishReason: "eos", ...turn },
      { type: "run-end", outcome: "max-turns", turns: 1 },
    ];
    const request = {
      type: "request",
      method: "POST",
      path: "/v1/agent",
      status: 200,
      ms: 20,
      aborted: false,
    } as const;
    const lines = logOf(
      { type: "request-received", run: "r", request: { path: "/v1/agent", body: { model: "my-llama", messages: [] } } },
      ...events.map((event): Observation => ({ type: "run-event", run: "r", event })),
      { ...request, run: "r" },
      { ...request, run: "s" },
    ).filter(({ msg }) => msg === "request");
    const [{ time: _, ...whole } = {}, { time: __, ...bare } = {}] = lines;
    const line = {
      level: "info",
      method: "POST",
      path: "/v1/agent",
      status: 200,
      ms: 20,
      aborted: false,
      msg: "request",
    };
    expect(whole).toEqual({
      ...{ ...line, run: "r", asked: "my-llama", model: "llama-3", row: "llama-*", toolMode: "text" },
      ...{ formats: ["hermes-json"], repairs: ["quotes"], tools: ["clock (failed)"], attempts: 2, tokens: 7 },
      ...{ finishReason: "stop", upstreamFinishReason: "eos", outcome: "max-turns", turns: 1 },
    });
    expect(bare).toEqual({ ...line, run: "s" });
  });

  it("gives a failure the level of whose fault it is", () => {
    const levels = (["invalid_request", "upstream_timeout", "internal_error"] as const).map((code) =>
      logOf({ type: "failure", run: "r", failure: createFailure(code, "why") }),
    );
    expect(levels.map(([line]) => [line?.level, line?.code, line?.msg])).toEqual([
      ["info", "invalid_request", "why"],
      ["warn", "upstream_timeout", "why"],
      ["error", "internal_error", "why"],
    ]);
  });

  it("never logs what was said, asked of a tool or answered by it", () => {
    const said = "PRIVATE";
    const call = { id: "c1", name: "lookup", arguments: said, origin: "native", repairs: [], raw: said };
    const lines = logOf(
      { type: "run-event", run: "r", event: { type: "text-delta", text: said } },
      { type: "run-event", run: "r", event: { type: "reasoning-delta", text: said } },
      { type: "run-event", run: "r", event: { type: "tool-call", call } },
      { type: "run-event", run: "r", event: { type: "tool-start", call } },
      {
        type: "run-event",
        run: "r",
        event: { type: "tool-result", callId: "c1", name: "lookup", content: said, isError: false },
      },
      {
        type: "run-event",
        run: "r",
        event: { type: "format-issue", issue: { code: "malformed-call", message: said, raw: said } },
      },
    );
    expect(lines).toHaveLength(4);
    expect(JSON.stringify(lines)).not.toContain(said);
  });

  it("cuts a message that is longer than a line should be", () => {
    const [line] = logOf({ type: "failure", run: "r", failure: createFailure("upstream_error", "x".repeat(100_000)) });
    expect(String(line?.msg).length).toBeLessThan(8_200);
  });
});
