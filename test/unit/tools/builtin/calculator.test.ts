// The calculator: what it works out, and in which words it refuses.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { calculator } from "../../../../src/tools/builtin/calculator.ts";
import { contextOf } from "../../../support/toolFixtures.ts";

const calculate = (expression: string) => calculator.execute({ expression }, contextOf());

describe("the calculator", () => {
  it.each([
    ["0.1 + 0.2", "0.3"],
    ["(0.1 + 0.2) * 10", "3"],
    ["1 - 0.9", "0.1"],
    ["2 + 3 * 4", "14"],
    ["(2 + 3) * 4", "20"],
    ["10 - 3 - 2", "5"],
    ["7 / 2", "3.5"],
    ["6 / 2", "3"],
    ["10 % 4", "2"],
    ["2 ^ 3 ^ 2", "512"],
    ["2 ** 10", "1024"],
    ["-2 ^ 2", "-4"],
    ["2 ^ -2", "0.25"],
    ["--3", "3"],
    ["2^64", "18446744073709551616"],
    ["123456789 * 987654321", "121932631112635269"],
    ["(-1) ^ 100001", "-1"],
    ["sqrt(16) + abs(-5)", "9"],
    ["round(2.5)", "3"],
    ["round(-2.5)", "-3"],
    ["round(1.005, 2)", "1.01"],
    ["round(1234, -2)", "1200"],
    ["min(3, 1.5, 2)", "1.5"],
    ["max(3, 1.5, 2)", "3"],
    ["floor(-2.5) + ceil(2.1)", "0"],
    ["sin(pi / 2)", "1"],
    ["ln(e)", "1"],
    ["1e3 + 1_000", "2000"],
    [".5 * 4", "2"],
    ["SQRT(9)", "3"],
    ["6 × 7 ÷ 2", "21"],
  ])("works out %s", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["1 / 0", "division by zero."],
    ["5 % 0", "division by zero."],
    ["sqrt(-1)", "the result is not a real number."],
    ["9^9^9", "the result is too large."],
    ["9^9^9^9^9", "the result is too large."],
    ["1e400", "the result is too large."],
    ["2 +", "expected a number, a function or ( at the end of the expression."],
    ["2 3", "expected an operator at character 3, before `3` of the expression."],
    ["1,000", "expected an operator at character 2, before `,` of the expression."],
    ["(1", "expected ) at the end of the expression."],
    ["", "expected a number, a function or ( at the end of the expression."],
    ["abs(1, 2)", "abs takes fewer values."],
    ["constructor", "`constructor` is neither a function nor a constant of the calculator."],
    ["process.exit(1)", "`process` is neither a function nor a constant of the calculator."],
    ["(".repeat(200), "the expression is nested deeper than 100 levels."],
    ["-".repeat(900), "the expression is nested deeper than 100 levels."],
    ["1+".repeat(600), "the expression is longer than 1000 characters."],
  ])("refuses %s in words that help", async (expression, message) => {
    await expect(calculate(expression)).rejects.toThrow(message);
  });

  it.each([{}, { expression: 5 }, { expression: null }, Object.create({ expression: "1" })])(
    "refuses the arguments %j",
    async (args) => {
      await expect(calculator.execute(args, contextOf())).rejects.toThrow("expression must be a text");
    },
  );

  it("adds and multiplies whole numbers of any size exactly", async () => {
    const big = fc.bigInt({ min: -(10n ** 100n), max: 10n ** 100n });
    await fc.assert(
      fc.asyncProperty(big, big, async (a, b) => {
        expect(await calculate(`(${a}) * (${b}) + (${a}) - (${b})`)).toBe(`${a * b + a - b}`);
      }),
    );
  });

  it("answers or refuses any text at once, and never runs it", async () => {
    const marks = fc.constantFrom(..."0123456789.+-*/%^()eE, ", "sqrt(", "max(", "pi", "__proto__", "this", "x");
    await fc.assert(
      fc.asyncProperty(fc.array(marks, { maxLength: 60 }), async (pieces) => {
        const outcome = await calculate(pieces.join("")).catch((error: unknown) => error);
        expect(typeof outcome === "string" || (outcome as Error).message.endsWith(".")).toBe(true);
      }),
    );
  });
});
