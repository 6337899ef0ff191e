import { describe, expect, it } from "@jest/globals";
import { type ArrivedCall, type CallFragment, isOfAnotherCall } from "../../../../src/models/response/callFragments.ts";

function another(heard: Partial<ArrivedCall>, fragment: Partial<CallFragment>): boolean {
  return isOfAnotherCall(
    { name: "look", hasStarted: true, ...heard },
    { type: "call-fragment", index: 0, ...fragment },
  );
}

describe("isOfAnotherCall", () => {
  it("goes by the ids where both have one", () => {
    expect(another({ id: "a" }, { id: "b", name: "look" })).toBe(true);
    expect(another({ id: "a" }, { id: "a", name: "listen" })).toBe(false);
  });

  it("goes by the names where an id is lacking, but only behind arguments", () => {
    expect(another({}, { name: "listen" })).toBe(true);
    expect(another({}, { name: "look" })).toBe(false);
    expect(another({ hasStarted: false }, { name: "_around" })).toBe(false);
  });

  it("takes a fragment without a name for a part of the call, whatever its id", () => {
    expect(another({ id: "a" }, { id: "b", arguments: "{" })).toBe(false);
    expect(another({ name: "", id: "a" }, { id: "b", name: "look" })).toBe(false);
  });
});
