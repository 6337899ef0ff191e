// The placeholder syntax of configuration.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { escapeTemplate, parseTemplate } from "../../../../src/core/template/parseTemplate.ts";

const parts = (text: string) => {
  const parsed = parseTemplate(text);
  return parsed.type === "template" ? parsed.parts : parsed.reason;
};

describe("a template", () => {
  it("is text and placeholders in their order", () => {
    expect(parts("a ${input.x} b ${env.Y}")).toMatchObject([
      { type: "text", text: "a " },
      { root: "input", path: ["x"] },
      { type: "text", text: " b " },
      { root: "env", path: ["Y"] },
    ]);
  });

  it.each([
    ["${input.a | 5}", 5],
    ["${input.a | 0.7}", 0.7],
    ["${input.a | true}", true],
    ["${input.a | null}", null],
    ['${input.a | "5"}', "5"],
    ["${input.a | '5'}", "5"],
    ["${input.a | http://127.0.0.1:80/v1}", "http://127.0.0.1:80/v1"],
    ['${input.a | "a } b \\" c"}', 'a } b " c'],
    ['${input.a | ""}', ""],
  ])("reads the default of %s with its type", (text, fallback) => {
    expect(parts(text)).toMatchObject([{ type: "placeholder", fallback }]);
  });

  it.each(["${", "${x", "${input.}", "${input.a |}", "${input..a}", '${input.a | "b}', "${1 + 1}", "${input.a}${"])(
    "refuses %s instead of passing it on",
    (text) => {
      expect(parseTemplate(text).type).toBe("malformed");
    },
  );

  it("keeps a doubled dollar as a literal", () => {
    expect(parts("cost $${amount} $5")).toEqual([{ type: "text", text: "cost ${amount} $5" }]);
  });

  it("reads back every text that was escaped", () => {
    const texts = fc.array(fc.constantFrom("$", "{", "}", "${", "a", "|", '"', "${env.X}"), { maxLength: 20 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join("");
        expect(parts(escapeTemplate(text))).toEqual(text === "" ? [] : [{ type: "text", text }]);
      }),
    );
  });
});
