// Who is asked about a line: nobody whom its first word rules out, and whoever could read it.
import { Session } from "node:inspector/promises";
import { describe, expect, test } from "@jest/globals";
import { LINE_OPENERS } from "../../../../../src/formats/grammars/headed/lineStarts.ts";
import { FORMATS } from "../../../../../src/formats/specs/lookupTables.ts";
import { request } from "../../../../support/modelTexts.ts";
import { countedParser } from "../../../../support/parserRuns.ts";

/** The functions of forms that begin to read where the text is read, by their names. */
async function askedFor(text: string): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  const parser = countedParser(request().setting);
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  parser.feed(text);
  parser.finish("stop");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ url }) => url.includes("/src/formats/grammars/"))
    .flatMap(({ functions }) => functions)
    .filter(({ functionName, ranges }) => /^read(?!Word$)/.test(functionName) && (ranges[0]?.count ?? 0) > 0)
    .map(({ functionName }) => functionName);
}

describe("the openers of a line", () => {
  test.each([
    "Hello there, this is a plain sentence.",
    "The lamp is lit.\nEvery hour it turns once.\n\nNobody calls.",
    "It was 3 < 4, which is (nearly) all.",
  ])("a plain sentence asks no reader: %j", async (text) => {
    expect(await askedFor(text)).toEqual([]);
  });

  test("a line that begins with a tool's name asks the readers of names", async () => {
    expect(await askedFor('set_lamp(colour="red")')).toEqual(expect.arrayContaining(["readBareShape", "readNamed"]));
  });

  test("the words with which a row announces a call lead to its reader", () => {
    const announced = FORMATS.flatMap((row) =>
      row.announced && row.announced.by !== "role-header" ? [row.announced.header] : [],
    );
    expect(announced.length).toBeGreaterThan(0);
    for (const header of announced) expect(LINE_OPENERS.get(header.charCodeAt(0))).toBeDefined();
  });
});
