// Records of which bytes changed, were lost or were moved: seen, each of them.
import { describe, expect, it } from "@jest/globals";
import { decodeChecked, encodeChecked } from "../../../../src/stores/sql/checksummedJson.ts";

const VALUE = {
  messages: [{ role: "user", content: "Pay 10 € \u{1F388}" }],
  deep: [[1.5, null, true, -0]],
  text: "\ud800",
};

function outcome(sealed: string): string {
  try {
    decodeChecked(sealed, "It");
    return "read";
  } catch (error) {
    return (error as { readonly failure?: { readonly code: string } }).failure?.code ?? String(error);
  }
}

describe("a sealed record", () => {
  it("is read back as what was sealed", () => {
    expect(decodeChecked(encodeChecked(VALUE), "It")).toEqual(JSON.parse(JSON.stringify(VALUE)));
  });

  it("is damaged wherever a bit of it changed, wherever it ends too soon, and where two are mixed", () => {
    const bytes = Buffer.from(encodeChecked(VALUE));
    const outcomes = new Map<string, number>();
    const note = (changed: Buffer) => {
      const found = outcome(changed.toString("utf8"));
      outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
    };
    for (let at = 0; at < bytes.length; at += 1) {
      note(bytes.subarray(0, at));
      for (let bit = 1; bit < 256; bit *= 2) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(at) ^ bit, at);
        note(changed);
      }
    }
    const other = Buffer.from(encodeChecked({ ...VALUE, more: 1 }));
    for (let at = 20; at < 60; at += 1) note(Buffer.concat([bytes.subarray(0, at), other.subarray(at)]));
    expect([...outcomes.keys()]).toEqual(["store_damaged"]);
  });

  it("of another form is told apart from a damaged one", () => {
    for (const text of ["", "{}", "1:", ":::", `0:${"0".repeat(64)}:{}`, `1:${"0".repeat(64)}:{}`]) {
      expect(outcome(text)).toBe("store_damaged");
    }
  });
});
