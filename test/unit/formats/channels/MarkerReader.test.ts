import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { MarkerReader } from "../../../../src/formats/channels/MarkerReader.ts";
import { request } from "../../../support/modelTexts.ts";
import { meaningOf, runParser } from "../../../support/parserRuns.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

describe("a reader that says it has read and stays where it is", () => {
  it("costs its characters their meaning, and not the process its life", () => {
    // biome-ignore lint/correctness/useYield: what it stands for has nothing to wait for
    jest.spyOn(MarkerReader.prototype, "readSign").mockImplementation(function* () {
      return true;
    });
    const text = "Before [TOOL_CALLS][1] and behind.";
    expect(meaningOf(runParser([text], request()))).toMatchObject({ content: text, calls: [] });
  });
});
