// Elements are values of a body like any other, and as many as are mended at most.
import { describe, expect, it } from "@jest/globals";
import { decodeContainer, decodeElements } from "../../../../src/formats/decoders/decodeXml.ts";

const LEAD = "]<]minimax[>[";

describe("the elements of a body", () => {
  it("are read up to ten thousand", () => {
    expect(decodeElements("<k>1</k>".repeat(10_000))).toEqual([["k", `[${'"1",'.repeat(9_999)}"1"]`]]);
    expect(decodeElements("<k>1</k>".repeat(10_001))).toBeUndefined();
  });

  it("are counted by their own tags alone where those stand behind a token", () => {
    const page = "<p>".repeat(30_000);
    expect(decodeContainer(`${LEAD}<k>${page}${LEAD}</k>`, LEAD)).toBe(JSON.stringify({ k: page }));
    expect(decodeContainer(`${LEAD}<k>1${LEAD}</k>`.repeat(10_001), LEAD)).toBeUndefined();
  });
});
