// What the rows promise each other, so that every table made of them has one answer to each question.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { FAMILY_NOTES } from "../../../../scripts/generateFormatsTable.ts";
import {
  FORMATS,
  findAnnounced,
  findElementFormat,
  findPairFormat,
  getFormatForForm,
  KNOWN_SHAPES,
  listFormatsWriting,
  WRAPPERS,
} from "../../../../src/formats/specs/lookupTables.ts";
import { RENDERINGS, resolveRendering } from "../../../../src/formats/specs/prompts.ts";

/** The names of the forms that one family alone has, as the type lists them. */
const SOLE_FORMS = [
  ...(/export type SoleForm =([\s\S]*?);\n/
    .exec(readFileSync(new URL("../../../../src/formats/specs/FormatSpec.ts", import.meta.url), "utf8"))?.[1]
    ?.matchAll(/^ {2}\| "([^"]+)"/gm) ?? []),
].map(([, form]) => form);

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

describe("the families' rows", () => {
  it("have an id each", () => {
    expect(repeated(FORMATS.map(({ id }) => id))).toEqual([]);
  });

  it("are told about in the documents, one line each, in their order", () => {
    expect(FAMILY_NOTES.map(({ id }) => id)).toEqual(FORMATS.map(({ id }) => id));
  });

  it("are those that a model can be asked to write", () => {
    expect([...RENDERINGS.keys()].filter((id) => !FORMATS.some((family) => family.id === id))).toEqual([]);
  });

  it("give each form that one family alone has to exactly one", () => {
    const forms: readonly (string | undefined)[] = FORMATS.map(({ form }) => form);
    expect(SOLE_FORMS.length).toBeGreaterThan(15);
    expect(SOLE_FORMS.filter((form) => forms.filter((one) => one === form).length !== 1)).toEqual([]);
  });

  it("let one family alone hold a body between the same marks", () => {
    const held = FORMATS.flatMap(({ wrappers = [] }) =>
      wrappers.flatMap(({ mark, holds = [] }) => holds.map((dialect) => `${mark.open}: ${dialect}`)),
    );
    expect(repeated(held)).toEqual([]);
  });

  it("share a mark as one value, so that a wrapper's name has one row", () => {
    expect(repeated(WRAPPERS.map(({ open }) => open))).toEqual([]);
  });

  it("say for every wrapper whose JSON is meant, and for every shape whose call", () => {
    expect(WRAPPERS.filter(({ families }) => !families.has("json")).map(({ open }) => open)).toEqual([]);
    expect(repeated(FORMATS.flatMap(({ defaultOf = [] }) => defaultOf))).toEqual([]);
    expect(KNOWN_SHAPES.filter((shape) => !FORMATS.some(({ defaultOf }) => defaultOf?.includes(shape)))).toEqual([]);
  });
});

describe("a table made of the rows", () => {
  it("prefers for a wrapper the family that holds a body to one that may", () => {
    const wrapper = WRAPPERS.find(({ open }) => open === "tool_calls");
    expect(wrapper?.families.get("json")).toEqual(["minimax-m1", "jamba-array"]);
    expect(wrapper?.families.get("array")).toEqual(["jamba-array", "minimax-m1"]);
    expect(wrapper?.namespaces.get("|DSML|")).toBe("deepseek-v4");
  });

  it("tells families by the spelling of their elements and pairs", () => {
    expect(findElementFormat("prefix", "steptml")).toBe("step3-steptml");
    expect(findElementFormat("names", "use_mcp_tool")).toBe("mcp-xml");
    expect(findElementFormat("function", "value")).toBe("qwen3-xml");
    expect(findElementFormat("names", "invoke")).toBeUndefined();
    expect(findPairFormat({ name: "inline" })).toBe("glm47");
    expect(findPairFormat({ suffix: "a1" })).toBeUndefined();
  });

  it("names the family of a form, of an announcement, and of a shape that nobody is known for", () => {
    expect(getFormatForForm("framed")).toBe("harmony");
    expect(findAnnounced("module").families.get("json")).toEqual(["functools"]);
    expect(listFormatsWriting("fence")[0]).toBe("generic-json");
  });

  it("writes what is asked for in an unknown family as the first row says", () => {
    expect(resolveRendering("no-such-family")).toBe(resolveRendering("hermes-json"));
  });
});
