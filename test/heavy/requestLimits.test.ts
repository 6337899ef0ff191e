// Bodies of ten megabytes, of each kind that costs most: none stops the event loop for long, and what is beyond a limit is refused by name.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { LIMITS, SERVER } from "../support/defaults.ts";
import { leastSlice } from "../support/leastSlice.ts";
import { post, script, startApp, type TestApp, turnEnd, turnStart } from "../support/testApp.ts";

const MB10 = 10 * 1024 * 1024 - 200;
/** The clock of a shared machine is noisy: the bench measures 50 ms, and what stood here before took 900. */
const STALL_MS = 400;

const bodyOf = (field: string) => `{"model":"m","messages":[{"role":"user","content":"x"}],"junk":${field}}`;
const filled = (unit: string, end: string) => unit.repeat(Math.floor((MB10 - end.length) / unit.length)) + end;
const keys = (count: number, width: number) =>
  Array.from({ length: count }, (_, n) => `"${`${n}`.padStart(width, "k")}":1`).join(",");

describe("a body of ten megabytes", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(script(turnStart, turnEnd), { limits: LIMITS, server: SERVER });
  });
  afterAll(() => app.close());

  it.each<[string, () => string, number, RegExp]>([
    ["of numbers", () => bodyOf(`[${filled("1,", "1]")}`), 400, /limits\.json_values/],
    ["of empty lists", () => bodyOf(`[${filled("[],", "1]")}`), 400, /limits\.json_values/],
    ["of empty objects", () => bodyOf(`[${filled("{},", "1]")}`), 400, /limits\.json_values/],
    ["of short keys", () => bodyOf(`{${keys(900_000, 6)}}`), 400, /limits\.json_keys/],
    ["of brackets", () => bodyOf(filled("[", "")), 400, /limits\.json_depth/],
    ["of line breaks and a fault", () => bodyOf(`${filled("\n", "x")}`), 400, /not valid JSON/],
    [
      "of tokens and a fault",
      () => bodyOf(`[${'"",'.repeat(240_000)}${filled(" ", "x]")}`.slice(0, MB10 - 100)),
      400,
      /not valid JSON/,
    ],
    ["of one text", () => bodyOf(`"${filled("x", '"')}`), 200, /chat\.completion/],
    ["of escapes", () => bodyOf(`"${filled("\\u00e9", '"')}`), 200, /chat\.completion/],
    ["of 49,000 long keys", () => bodyOf(`{${keys(49_000, 195)}}`), 200, /chat\.completion/],
    ["one byte too long", () => bodyOf(`"${"x".repeat(MB10 + 300)}"`), 413, /server\.max_body_bytes/],
  ])("%s", async (_what, written, status, said) => {
    const body = written();
    const { value, ms } = await leastSlice(async () => {
      const response = await post(`${app.url}/v1/chat/completions`, body);
      return [response.status, await response.text()];
    }, STALL_MS);
    expect(value).toEqual([status, expect.stringMatching(said)]);
    expect(ms).toBeLessThan(STALL_MS);
  });
});
