// Texts of a schema from outside: all that a model reads is cleaned, what is compared or sent back stays.
import { expect, it } from "@jest/globals";
import { sanitizeSchema } from "../../../../src/tools/mcp/sanitizeSchema.ts";

it("texts within parameters that are called like keywords are cleaned too, names and values of calls are not", () => {
  const bad = (more: object = {}) => ({ type: "string", description: "bad", ...more });
  const schema = {
    type: "object",
    properties: { enum: bad(), default: bad({ default: "bad" }), bad: bad({ enum: ["bad"], pattern: "bad" }) },
    required: ["bad"],
    items: [{ anyOf: [bad()] }],
    $defs: { required: { description: "bad" } },
  };
  const good = (more: object = {}) => ({ type: "string", description: "good", ...more });
  expect(sanitizeSchema(schema, (text) => text.replace("bad", "good"))).toEqual({
    type: "object",
    properties: { enum: good(), default: good({ default: "bad" }), bad: good({ enum: ["bad"], pattern: "bad" }) },
    required: ["bad"],
    items: [{ anyOf: [good()] }],
    $defs: { required: { description: "good" } },
  });
});
