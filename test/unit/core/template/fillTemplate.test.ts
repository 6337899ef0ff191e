// What the placeholders of a template become, out of a scope of several roots.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { describe, expect, it } from "@jest/globals";
import { fillTemplate } from "../../../../src/core/template/fillTemplate.ts";
import { inferParameters } from "../../../../src/core/template/inferParameters.ts";

const SCOPE = { input: { a: 1, text: "${steps.first}" }, steps: { first: { ids: [7] } }, context: { owner: null } };

describe("a filled template", () => {
  it("keeps the type of a value that is all of a text, and the whole of a root that is alone", () => {
    expect(fillTemplate({ n: "${input.a}", all: ["${steps}"] }, SCOPE)).toEqual({ n: 1, all: [SCOPE.steps] });
  });

  it("splices a value into a text as text, an object as JSON and null as nothing", () => {
    expect(fillTemplate("${input.a}/${steps.first}/${context.owner}.", SCOPE)).toBe('1/{"ids":[7]}/.');
  });

  it("reads no placeholder that a value holds", () => {
    expect(fillTemplate("<${input.text}>", SCOPE)).toBe("<${steps.first}>");
  });

  it.each(["${input.constructor}", "${input.text.length}", "${input.__proto__}", "${output.x}"])(
    "says which placeholder has no value: %s",
    (text) => {
      expect(() => fillTemplate([text], SCOPE)).toThrow(`${text} has no value.`);
    },
  );
});

describe("the parameters of templates", () => {
  it("are the inputs that they name: required where there is no default, which gives the type", () => {
    expect(inferParameters([{ q: "${input.q}", n: "${input.n | 5}" }, "${steps.a.b} ${input.o.p}"])).toEqual({
      type: "object",
      properties: { q: { type: "string" }, n: { type: "number", default: 5 }, o: { type: "object" } },
      required: ["q", "o"],
      additionalProperties: false,
    });
  });

  it("may be any where the whole input is taken", () => {
    expect(inferParameters(["${input}"])).toMatchObject({ properties: {}, required: [], additionalProperties: true });
  });
});
