// The built-in tool that evaluates an arithmetic expression. Runs no code.

import type { Tool } from "../Tool.ts";
import { evaluateArithmetic } from "./evaluateArithmetic.ts";

export const calculator: Tool = {
  spec: {
    name: "calculator",
    description:
      "Works out an arithmetic expression with + - * / % ^, parentheses, the constants pi and e, and the functions " +
      "sqrt, cbrt, abs, round, floor, ceil, trunc, sign, min, max, exp, ln, log10, log2, sin, cos, tan, asin, acos, atan.",
    parameters: {
      type: "object",
      properties: { expression: { type: "string", description: "For example (2 + 3) * 4 / sqrt(16)." } },
      required: ["expression"],
      additionalProperties: false,
    },
  },
  idempotent: true,
  async execute(args) {
    const expression = Object.hasOwn(args, "expression") ? args.expression : undefined;
    if (typeof expression !== "string") throw new Error("expression must be a text such as 2 * (3 + 4).");
    return evaluateArithmetic(expression);
  },
};
