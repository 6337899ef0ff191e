// The registry: which names it takes, and how it looks them up.
import { describe, expect, it } from "@jest/globals";
import { ToolRegistry } from "../../src/tools/ToolRegistry.ts";
import { toolOf } from "./toolFixtures.ts";

const tool = (name: string) => toolOf(name, async () => "done");

describe("a tool registry", () => {
  it("finds tools by their names, and selects them in the order asked for", () => {
    const registry = new ToolRegistry([tool("a"), tool("b.c:d/e-f_9"), tool("z")]);
    expect(registry.get("a")?.spec.name).toBe("a");
    expect(registry.select(["z", "a"]).map(({ spec }) => spec.name)).toEqual(["z", "a"]);
  });

  it.each(["constructor", "__proto__", "toString", "A", ""])("does not find %p, which nobody registered", (name) => {
    expect(new ToolRegistry([tool("a")]).get(name)).toBeUndefined();
  });

  it("refuses two tools of one name", () => {
    expect(() => new ToolRegistry([tool("a"), tool("a")])).toThrow("Two tools are called `a`");
  });

  it.each(["", "a b", "a\n", "é", "a`", "x".repeat(129)])("refuses the name %p", (name) => {
    expect(() => new ToolRegistry([tool(name)])).toThrow("is not 1–128 letters");
  });

  it("names the tools there are when one is selected that is not there", () => {
    expect(() => new ToolRegistry([tool("a"), tool("b")]).select(["a", "c"])).toThrow(
      expect.objectContaining({
        message: "No tool is called `c`; there are: a, b.",
        failure: expect.objectContaining({ code: "invalid_configuration" }),
      }),
    );
  });
});
