// Runs a table of readings, a test each: a payload where it can arrive, the tools that are offered there, and the oracle.
import { expect, it } from "@jest/globals";
import type { ToolSpec } from "../../../src/core/messages.ts";
import type { ParserOptions } from "../../../src/formats/state/ParserEvent.ts";
import { type Oracle, read } from "./oracles.ts";
import { idsOf, payload } from "./payloads.ts";

export interface Reading {
  /** The behaviour, in words. */
  readonly says: string;
  /** Where the payload stands in the text; alone where this is absent. */
  readonly around?: (payload: string) => string;
  readonly tools?: readonly ToolSpec[];
  readonly options?: Partial<ParserOptions>;
  readonly oracle: Oracle;
}

/** Every row of the categories is read, and nothing else. */
export function testReadings(categories: readonly string[], table: Readonly<Record<string, readonly Reading[]>>): void {
  it("has an expectation for every payload", () => {
    expect(Object.keys(table).sort()).toEqual([...idsOf(...categories)].sort());
  });
  const cases = Object.entries(table).flatMap(([id, readings]) =>
    readings.map((reading) => [id, reading.says, reading] as const),
  );
  const run = (id: string, _says: string, { around = (text) => text, tools = [], options, oracle }: Reading): void =>
    oracle(read(around(payload(id)), tools, options));
  it.each(cases)("%s: %s", run);
}

/** The payload as the body of an explicit call block. */
export function inBlock(body: string): string {
  return `<tool_call>${body}</tool_call>`;
}
