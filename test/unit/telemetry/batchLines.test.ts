import { Writable } from "node:stream";
import { setImmediate as round } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { batchLines } from "../../../src/telemetry/batchLines.ts";

/** Lines that are written together, and what has been written. */
function log() {
  const written: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      written.push(String(text));
      done();
    },
  });
  return { written, lines: batchLines(output) };
}

const line = (level: string, said: string) => `{"level":"${level}","msg":"${said}"}\n`;
const [a, b, c, d] = ["a", "b", "c", "d"].map((said) => line("info", said)) as [string, string, string, string];

describe("lines of the log", () => {
  it("are written at once where they come alone, and together behind the first of a round", async () => {
    const { written, lines } = log();
    for (const one of [a, b, c]) lines.write(one);
    expect(written).toEqual([a]);
    await round();
    lines.write(d);
    expect(written).toEqual([a, b + c, d]);
    await round();
    expect(written).toEqual([a, b + c, d]);
  });

  it("do not wait where they tell of trouble, and what came before them comes before them", () => {
    const { written, lines } = log();
    const trouble = line("error", "boom");
    for (const one of [a, b, trouble, c]) lines.write(one);
    expect(written).toEqual([a, b + trouble]);
  });

  it("that are unwritten when the process ends are written then, once", async () => {
    const { written, lines } = log();
    const write = process.rawListeners("exit").at(-1) as () => void;
    for (const one of [a, b]) lines.write(one);
    write();
    await round();
    expect(written).toEqual([a, b]);
    process.off("exit", write);
  });
});
