import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Chunking, splitChunks } from "../../../../src/transcripts/replay/rechunk.ts";

const chunkings: Chunking[] = [
  { type: "recorded" },
  { type: "size", size: 1 },
  { type: "size", size: 3 },
  { type: "size", size: 7 },
  { type: "whole" },
  { type: "random", seed: 42 },
];

describe("rechunk", () => {
  it.each(chunkings)("gives the same bytes and no empty piece with %j", (chunking) => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
        const again = splitChunks(pieces, chunking);
        expect(Buffer.concat(again)).toEqual(Buffer.concat(pieces));
        expect(again.every(({ length }) => length > 0)).toBe(true);
      }),
    );
  });

  it("cuts as asked", () => {
    const sizes = (chunking: Chunking): number[] =>
      splitChunks([Buffer.from("abcd"), Buffer.from("efgh")], chunking).map(({ length }) => length);
    expect(sizes({ type: "size", size: 3 })).toEqual([3, 3, 2]);
    expect(sizes({ type: "whole" })).toEqual([8]);
    expect(sizes({ type: "recorded" })).toEqual([4, 4]);
  });

  it("draws the same places from the same seed and others from another", () => {
    const long = [Buffer.alloc(2_000)];
    const sizes = (seed: number): number[] => splitChunks(long, { type: "random", seed }).map(({ length }) => length);
    expect(sizes(1)).toEqual(sizes(1));
    expect(sizes(1)).not.toEqual(sizes(2));
    expect(new Set(sizes(1)).size).toBeGreaterThan(10);
  });
});
