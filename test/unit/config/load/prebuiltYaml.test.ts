// Rows that were prepared for a quick start: the very ones of models.yaml, and never those of another text.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createPrebuiltModels } from "../../../../scripts/generateReadingRows.ts";
import { prepare, readPrebuilt } from "../../../../src/config/load/prebuiltYaml.ts";
import { readYaml } from "../../../../src/config/load/readYaml.ts";
import { readConfig } from "../../../support/gatewayModules.ts";

const SHIPPED = "config/models.yaml";
const TEXT = 'models: [{ match: ["tide-*"], tools: text, why: "test" }]\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-prepared-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The rows of a models.yaml with this text, and of what stands beside it. */
function rowsOf(text: string, beside?: string) {
  const modelsFile = join(folder, "models.yaml");
  writeFileSync(modelsFile, text);
  if (beside !== undefined) writeFileSync(join(folder, "models.json"), beside);
  return readConfig({ file: "config/postel.yaml", modelsFile, env: {} }).models;
}

describe("the rows that ship", () => {
  it("are prepared as models.yaml has them now (else: npm run rows)", () => {
    expect(readFileSync("config/models.json", "utf8")).toBe(createPrebuiltModels());
    expect(readPrebuilt(SHIPPED)).toEqual(readYaml(readFileSync(SHIPPED, "utf8"), {}).value);
  });

  it("are the same configuration, prepared or read", () => {
    const prepared = readConfig({ file: "config/postel.yaml", modelsFile: SHIPPED, env: {} });
    expect(rowsOf(readFileSync(SHIPPED, "utf8"))).toEqual(prepared.models);
  });
});

describe("what was prepared", () => {
  const row = { match: ["tide-*"], tools: "text", why: "test" };

  it("takes the file's place", () => {
    const other = { models: [{ ...row, why: "prepared" }] };
    expect(rowsOf(TEXT, prepare(TEXT, other))).toEqual(other.models);
  });

  it("of another text counts for nothing", () => {
    expect(rowsOf(TEXT, prepare(`${TEXT}\n`, { models: [] }))).toEqual([row]);
  });

  it.each([
    ["nothing", undefined],
    ["no JSON", "{"],
    ["no object", "null"],
    ["what is no list of rows", prepare(TEXT, { models: [{ match: [], why: "" }] })],
  ])("is passed over where it is %s", (_, beside) => {
    expect(rowsOf(TEXT, beside)).toEqual([row]);
  });

  it("hides no fault of the file", () => {
    const faulty = 'models: [{ match: ["tide-*"], tool: text, why: "test" }]\n';
    expect(() => rowsOf(faulty, prepare(faulty, { models: [{ match: ["a"], tool: "text", why: "x" }] }))).toThrow(
      /models\.yaml:1:\d+ models\.0\.tool: /,
    );
  });
});
