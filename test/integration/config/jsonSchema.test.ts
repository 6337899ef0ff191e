// JSON Schemas of the configuration: a slip in one would allow everything, so it is refused where it stands.
import { describe, expect, it } from "@jest/globals";
import { configOf } from "../../support/runs/scriptedGateway.ts";

const FILE = (keys: string, params = "{}", tool = "svc") => `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
components:
  - { id: svc, type: http-client, base_url: "http://127.0.0.1:1", path: "/\${input.id}", params: { id: ${params} } }
agents: [{ id: default, tools: [${tool}], ${keys} }]
`;

describe("a JSON Schema of the configuration", () => {
  it.each([
    ["{ type: strin }", /params\.id\.type: expected string, number/],
    ['{ type: string, pattern: "[" }', /params\.id\.pattern: expected a regular expression/],
    ['{ type: string, patern: "^[A-Z]$" }', /params\.id\.patern: `patern` says nothing .*did you mean `pattern`/],
    ["{ type: string, enum: a }", /params\.id\.enum: expected a list/],
    ["{ type: string, format: paht }", /params\.id\.format: expected path, sql/],
    ["{ type: object, required: true }", /params\.id\.required: expected a list of the names/],
    ["{ type: array, items: { type: [string, nul] } }", /params\.id\.items\.type: expected string/],
    ["{ anyOf: [{ type: string }, { maxLenght: 3 }] }", /params\.id\.anyOf\.1\.maxLenght: .*`maxLength`/],
  ])("is refused as %s, which would hold nothing to account", (params, fault) => {
    expect(() => configOf(FILE("", params))).toThrow(fault);
  });

  it("never lets a slip in `when` approve calls that a person was to see", () => {
    const tool = "{ component: svc, approval: { when: { properties: { id: { not: { patern: ^A } } } } } }";
    expect(() => configOf(FILE("", "{}", tool))).toThrow(/approval\.when\.properties\.id\.not\.patern: .*`pattern`/);
  });

  it("is whole in `inputs` and `output` too", () => {
    expect(() => configOf(FILE("inputs: { type: object, properties: { a: { type: nmber } } }"))).toThrow(
      /inputs\.properties\.a\.type: expected/,
    );
    expect(() => configOf(FILE("output: { type: object, properties: [] }"))).toThrow(
      /output\.properties: expected names/,
    );
  });

  it("may have type names that other languages write, and keywords of one's own", () => {
    const params = '{ type: str, pattern: "^[A-Z]-\\\\d+$", x-note: mine, example: A-1, format: path }';
    expect(configOf(FILE("", params)).agents).toHaveLength(1);
  });
});
