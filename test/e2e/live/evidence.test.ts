import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { withEvidence } from "./evidence.ts";
import { grade } from "./grade.ts";
import { TASKS, TOOLS } from "./tasks.ts";

const head = ["model", "way", "right"];
const marks = "<!-- tides: written by npm run test:live -->\n<!-- end of tides -->";
const place = (model: string, way: string) => (way === "gone" ? undefined : `${model} ${way}`.length);

function tides(document: string, ...lines: readonly (readonly string[])[]): string {
  return withEvidence(document, { name: "tides", head, lines }, place);
}

describe("docs/benchmarks.md", () => {
  it("keeps the lines that a run did not measure, replaces those that it did, and orders them", () => {
    const first = tides(`Before.\n\n${marks}\n\nAfter.\n`, ["low", "native", "1"], ["a", "text", "2"]);
    expect(tides(first, ["low", "native", "3"])).toBe(
      "Before.\n\n<!-- tides: written by npm run test:live -->\n\n| model | way | right |\n|---|---|---|\n" +
        "| a | text | 2 |\n| low | native | 3 |\n\n<!-- end of tides -->\n\nAfter.\n",
    );
  });

  it("drops a way that is not measured any more", () => {
    expect(tides(tides(marks, ["low", "gone", "1"]))).not.toContain("gone");
  });

  it("has the marks for both tables, and no marks are an error", () => {
    const document = readFileSync("docs/benchmarks.md", "utf8");
    for (const name of ["tasks", "questions"])
      expect(withEvidence(document, { name, head, lines: [] }, () => undefined)).toContain("| model | way | right |");
    expect(() => tides(document)).toThrow("<!-- tides: written");
  });
});

describe("the grade of an answer", () => {
  const [weather] = TASKS;
  const graded = (content: string | null, name?: string, input: object | string = {}) => {
    const written = typeof input === "string" ? input : JSON.stringify(input);
    const calls = name === undefined ? [] : [{ function: { name, arguments: written } }];
    return weather && grade(weather, TOOLS, { content, tool_calls: calls });
  };

  it.each([
    ["right", graded(null, "get_weather", { city: "Oslo" })],
    ["wrong", graded(null, "get_weather", { city: "Bergen" })],
    ["wrong", graded(null, "web_search", { query: "weather in Oslo", max_results: 3 })],
    ["invalid", graded(null, "get_weather", { city: "Oslo", unit: "kelvin" })],
    ["invalid", graded(null, "web_search", { query: "weather in Oslo", max_results: 51 })],
    ["invalid", graded(null, "get_weather", '{"city": "Oslo"')],
    ["invalid", graded(null, "weather", { city: "Oslo" })],
    ["leaked", graded('{"name": "get_weather", "arguments": {"city": "Oslo"}}')],
    ["none", graded("It is sunny in Oslo.")],
  ])("is %s where it is", (expected, found) => {
    expect(found).toBe(expected);
  });
});
