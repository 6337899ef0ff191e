// What a person writes into a form, held against it before anything goes on with it.
import { describe, expect, it } from "@jest/globals";
import { fitAnswer } from "../../../../src/agents/calls/revalidateCall.ts";
import type { JsonObject, ToolCall } from "../../../../src/core/messages.ts";

const CALL: ToolCall = { id: "call00001", name: "bank.pay", arguments: "{}", origin: "native", repairs: [], raw: "" };
const FORM = {
  type: "object",
  properties: { account: { type: "string", minLength: 3 }, copies: { type: "integer" } },
  required: ["account"],
};
const ONE = { type: "object", properties: { color: { type: "string", enum: ["red", "blue"] } }, required: ["color"] };

function fitted(response: string, form: JsonObject = FORM): unknown {
  const fit = fitAnswer(CALL, response, form);
  return fit.type === "fits" ? JSON.parse(fit.call.arguments) : fit.reason;
}

describe("an answer to a form", () => {
  it("is taken as it fits, types mended where nothing is lost", () => {
    expect(fitted('{"account": "A-1", "copies": "2"}')).toEqual({ account: "A-1", copies: 2 });
  });

  it("is refused with what is wrong where it does not fit", () => {
    expect(fitted('{"copies": 2}')).toContain("account");
    expect(fitted('{"account": "A-1", "copies": "many"}')).toContain("copies");
    expect(fitted("A-1")).toEqual(expect.any(String));
    expect(fitted("")).toEqual(expect.any(String));
  });

  it("may be plain words where the form has one field", () => {
    expect(fitted("red", ONE)).toEqual({ color: "red" });
    expect(fitted("green", ONE)).toContain("color");
  });
});
