// How a model's text is read, by its name alone: what the gateway's own detector says with the shipped file.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { createParsingProfiles } from "../../../../scripts/generateReadingRows.ts";
import type { ModelProfile } from "../../../../src/core/models/capabilities.ts";
import { ModelCapabilityDetector } from "../../../../src/models/capabilities/ModelCapabilityDetector.ts";
import { resolveParsingProfile } from "../../../../src/models/capabilities/parsingProfile.ts";
import { PARSING_PROFILES } from "../../../../src/models/capabilities/parsingProfiles.generated.ts";
import { NO_EVIDENCE } from "../../../support/noEvidence.ts";

describe("the reading of a model's text", () => {
  it("has the rows of the shipped file (else: npm run rows)", () => {
    expect(PARSING_PROFILES).toEqual(createParsingProfiles());
  });

  it("lacks nothing that a shipped row says of the text", () => {
    const { models } = parse(readFileSync("config/models.yaml", "utf8")) as { models: readonly object[] };
    expect(models.filter((row) => "parse" in row || "fractions" in row)).toEqual([]);
  });

  it("is that of the shipped file for names of every pattern, though the table has fewer", () => {
    const { models } = parse(readFileSync("config/models.yaml", "utf8")) as { models: readonly ModelProfile[] };
    const shipped = models.map(({ match, formats, emulate, wire, reasoning }): ModelProfile => {
      const row = { match, formats, emulate, wire, reasoning, why: "" };
      return JSON.parse(JSON.stringify(row)) as ModelProfile;
    });
    const detector = new ModelCapabilityDetector({ operator: [], shipped, evidence: NO_EVIDENCE });
    const names = models.flatMap(({ match }) =>
      match.flatMap((pattern) => ["", "-x", "7-latest", ".5"].map((rest) => pattern.replaceAll("*", rest))),
    );
    expect(names.length).toBeGreaterThan(600);
    for (const model of names) {
      expect([model, detector.detect({ model, key: model })]).toMatchObject([model, resolveParsingProfile(model)]);
    }
  });

  it.each(["qwen/qwen3-coder:30b", "DeepSeek-R1-0528", "gpt-oss-20b", "o3", "a-model-of-my-own", ""])(
    "is the detector's own of %j",
    (model) => {
      const shipped = PARSING_PROFILES.map((row) => ({ ...row, why: "" }));
      const detector = new ModelCapabilityDetector({ operator: [], shipped, evidence: NO_EVIDENCE });
      expect(detector.detect({ model, key: model })).toMatchObject(resolveParsingProfile(model));
    },
  );
});
