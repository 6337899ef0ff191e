// How tools and tasks of the live tests are written down, and what makes an argument right.
import { evaluateArithmetic } from "../../../src/tools/builtin/evaluateArithmetic.ts";

export interface LiveTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: {
      readonly type: "object";
      readonly properties: Readonly<Record<string, Property>>;
      readonly required: readonly string[];
      readonly additionalProperties: false;
    };
  };
}

interface Property {
  readonly type: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

type Input = Readonly<Record<string, unknown>>;
type Check = (input: Input) => boolean;

export interface LiveTask {
  readonly question: string;
  /** The tool that is right, and whether its arguments are. */
  readonly tool: string;
  readonly isRight: Check;
}

export function tool(
  name: string,
  description: string,
  properties: Readonly<Record<string, Property>>,
  required: readonly string[],
): LiveTool {
  const parameters = { type: "object", properties, required, additionalProperties: false } as const;
  return { type: "function", function: { name, description, parameters } };
}

export function text(description: string, more: Partial<Property> = {}): Property {
  return { type: "string", description, ...more };
}

export function task(question: string, name: string, isRight: Check): LiveTask {
  return { question, tool: name, isRight };
}

/** Lower case, without quotation marks around it and a full stop behind it. */
export function plain(value: unknown): string {
  return String(value ?? "")
    .toLowerCase()
    .trim()
    .replace(/[.!?"“”']+$/g, "")
    .replace(/^["“']+/g, "");
}

export function has(value: unknown, ...words: readonly string[]): boolean {
  return words.every((word) => plain(value).includes(word));
}

export function weather(city: string, unit?: string): Check {
  return (input) => plain(input.city).startsWith(city) && (unit === undefined || input.unit === unit);
}

export function exchange(amount: number, from: string, to: string): Check {
  return (input) => Number(input.amount) === amount && plain(input.from) === from && plain(input.to) === to;
}

/** An expression of this value, in the signs that models use. */
export function worth(value: number): Check {
  return ({ expression }) => {
    const signs = String(expression)
      .replace(/×/g, "*")
      .replace(/÷/g, "/")
      .replace(/,/g, "")
      .replace(/=\s*\??$/, "");
    try {
      return Math.abs(Number(evaluateArithmetic(signs)) - value) < 1e-6;
    } catch {
      return false;
    }
  };
}
