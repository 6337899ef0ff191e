import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { listAdaptedFields } from "../../../../src/models/adaptation/adaptedFields.ts";
import { CAPABILITIES, modelRequest, TIDE_TOOL } from "../../../support/modelRequest.ts";
import { runsOf } from "../../../support/sample.ts";

const CHOICES = ["auto", "none", "required", "named"] as const;
const SYSTEM = { role: "system", content: "Be brief." } as const;

const asked = fc.record({
  messages: fc.constantFrom([], [SYSTEM], [SYSTEM, { role: "user", content: "Hello" } as const]),
  tools: fc.constantFrom([], [TIDE_TOOL]),
  toolChoice: fc.constantFrom(
    { type: "auto" } as const,
    { type: "none" } as const,
    { type: "required" } as const,
    { type: "tool", name: "lookup_tide" } as const,
  ),
  stream: fc.constantFrom(undefined, true, false),
  sampling: fc.constantFrom({}, { temperature: 0.5, stop: ["END"] }),
  output: fc.constantFrom(
    { type: "text" } as const,
    { type: "json_object" } as const,
    { type: "json_schema", name: "x", schema: {}, strict: true } as const,
  ),
  capabilities: fc
    .record({
      toolChoice: fc.oneof(fc.constant(CHOICES), fc.subarray([...CHOICES])),
      formats: fc.constantFrom([], ["hermes-json"]),
      jsonSchema: fc.constantFrom("native" as const, "json_object" as const, "none" as const),
      systemRole: fc.constantFrom("system" as const, "developer" as const, "user" as const),
      stream: fc.constantFrom("always" as const, "never" as const, "as-asked" as const),
      source: fc.constantFrom({}, { jsonSchema: "default" as const }),
    })
    .map((said) => ({ ...CAPABILITIES, ...said })),
});

describe("the fields that an upstream does not take as they were asked", () => {
  it("are none, at a look, exactly where comparing both bodies would find none", () => {
    let none = 0;
    const property = fc.property(asked, (changes) => {
      const fields = listAdaptedFields(modelRequest(changes));
      // A quirk that nobody knows changes no body, and has them compared.
      const { capabilities } = changes;
      const compared = listAdaptedFields(
        modelRequest({ ...changes, capabilities: { ...capabilities, quirks: ["none"] } }),
      );
      expect(fields).toEqual(compared);
      none += fields.length === 0 ? 1 : 0;
    });
    fc.assert(property, { numRuns: runsOf(2_000) });
    expect(none).toBeGreaterThan(200);
  });
});
