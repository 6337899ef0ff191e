// The text under all readers: what is held can be taken, read again and given back, whatever has left the window meanwhile.
import { describe, expect, it } from "@jest/globals";
import { END, Source, StopTable, WAIT } from "../../../../src/formats/scanner/Source.ts";

function arrived(...pieces: readonly string[]): Source {
  const source = new Source();
  for (const piece of pieces) source.append(piece);
  return source;
}

describe("a source", () => {
  it("waits behind what has come, and is over only where it ended", () => {
    const source = arrived("a");
    expect([source.code(), source.code(1)]).toEqual([97, WAIT]);
    source.endText();
    expect(source.code(1)).toBe(END);
  });

  it("hands over the rest once its end has been seen", () => {
    const source = arrived("ab", "cd");
    source.skip(1);
    source.endText();
    expect([source.getRest(), source.offset]).toEqual(["bcd", 1]);
  });

  it("shows a slice at a time", () => {
    const source = new Source(2);
    source.append("abcd");
    expect(source.readUntilStop(new StopTable(""))).toBe("ab");
    expect(source.nextSlice()).toBe(true);
    expect(source.readUntilStop(new StopTable(""))).toBe("cd");
    expect(source.nextSlice()).toBe(false);
  });

  it("hands over what it runs over, up to a stop", () => {
    const source = arrived("one\ntwo");
    expect(source.readUntilStop(new StopTable("\n"))).toBe("one");
    expect(source.offset).toBe(3);
  });

  it("holds a span over many pieces and hands it over whole", () => {
    const source = arrived("ab");
    source.skip(1);
    source.startBuffering();
    for (const piece of ["c", "d", "e"]) {
      source.skip(1);
      source.append(piece);
    }
    expect(source.getBuffered(2, 4)).toBe("cd");
    expect(source.getAllBuffered()).toBe("bcd");
    expect(source.endAndGetBuffered()).toBe("bcd");
    source.startBuffering();
    expect(source.bufferStart).toBe(4);
  });

  it("goes back to the middle of what has left the window", () => {
    const source = arrived("abc");
    source.startBuffering();
    source.skip(3);
    source.append("def");
    source.skip(1);
    source.append("g");
    source.moveBack(1);
    expect(source.readUntilStop(new StopTable("f"))).toBe("bcde");
    expect(source.endAndGetBuffered()).toBe("abcde");
    expect(source.bufferStart).toBe(source.offset);
  });

  it("does not wake a reader for what it passes over anyway", () => {
    const source = new Source();
    let woken = 0;
    function* reader(): Generator<undefined, void, undefined> {
      for (;;) {
        woken += 1;
        source.advance(new StopTable("."), 100);
        if (source.code() !== WAIT) return;
        yield;
      }
    }
    const reading = reader();
    for (const piece of ["", "a", "b", "c"]) {
      source.append(piece);
      source.resume(reading);
    }
    expect([woken, source.offset]).toEqual([1, 3]);
    source.append(".");
    source.resume(reading);
    expect([woken, source.offset]).toEqual([2, 3]);
  });
});

describe("a run of text", () => {
  it("takes with it the first character that was seen to be text, though it stops there else", () => {
    const source = arrived("<a><b");
    const stops = new StopTable("<");
    expect([
      source.readUntilStop(stops),
      source.readUntilStop(stops, 1),
      source.readUntilStop(stops),
      source.readUntilStop(stops, 1),
    ]).toEqual(["", "<a>", "", "<b"]);
    expect([source.offset, source.code()]).toEqual([5, WAIT]);
  });
});

describe("a table of characters", () => {
  it.each(["", "<", '"\\', "c>", "[◁]✿`\n{<", "éÿĀ思：￿", "\0\u007f\u0080\u00ff\u0100"])(
    "has those of %j and no other",
    (text) => {
      const table = new StopTable(text);
      const codes = Array.from({ length: 0x1_0000 + 2 }, (_, index) => index - 2);
      const had = codes.filter((code) => table.has(code)).map((code) => String.fromCharCode(code));
      expect(had).toEqual([...new Set(text)].sort());
    },
  );
});
