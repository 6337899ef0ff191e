// A list of tools as it is made ready once: what is asked of it again is what was made before, and a tool that nobody calls costs nothing.
import { describe, expect, it } from "@jest/globals";
import type { ToolSpec } from "../../../../src/core/messages.ts";
import { compileToolSet } from "../../../../src/formats/validation/ToolSet.ts";

const lamp: ToolSpec = { name: "set_lamp", parameters: { type: "object", properties: { colour: { type: "string" } } } };

/** A tool whose schema nobody may look at. */
const unread: ToolSpec = {
  name: "Log-Entry",
  get parameters(): never {
    throw new Error("The schema of a tool that is not called was looked at.");
  },
};

describe("a list of tools", () => {
  it("is prepared once, and each of its tools where it is first asked for", () => {
    const tools = [lamp, unread];
    const offer = compileToolSet(tools);
    expect(compileToolSet(tools)).toBe(offer);
    expect(offer.tool("set_lamp")?.parameters).toEqual(["colour"]);
    expect(offer.tool("set_lamp")).toBe(offer.tool("set_lamp"));
    expect(() => offer.tool("Log-Entry")).toThrow("looked at");
  });

  it("knows its names, what they may begin with, and what their tools declare", () => {
    const offer = compileToolSet([lamp, unread]);
    expect([offer.toolNames, offer.names.resolve("log_entry")?.name]).toEqual([["set_lamp", "Log-Entry"], "Log-Entry"]);
    expect([..."sSlL_tTeE-"].filter((sign) => offer.nameStarts.has(sign.charCodeAt(0))).join("")).toBe("sSlL_");
    expect([offer.declared("set_lamp"), offer.declared("nobody"), offer.tool("nobody")]).toEqual([
      ["colour"],
      [],
      undefined,
    ]);
  });
});
