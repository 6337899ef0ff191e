// One row of the contract's table: what is asked, what a backend says that will not have it, and what the caller must find kept. Judges no cell.
import type { JsonObject, JsonValue } from "../../../src/core/messages.ts";
import type { Answer, Choice } from "./askGateway.ts";
import type { Outcomes } from "./cells.ts";
import { QUESTIONS } from "./minds.ts";

export interface Parameter {
  /** As the document shows it, in Markdown. */
  readonly name: string;
  /** The request but for `model` and `stream`. */
  readonly ask: JsonObject;
  /** What the refusing backend says no to. */
  readonly refusal?: Refusal;
  /** What is wrong, in words; undefined where the caller has what was asked for. */
  readonly fault: Oracle;
  readonly outcomes: Outcomes;
}

/** @param sent the request as the backend got it that gave the answer, as JSON text. */
export type Oracle = (answer: Answer, sent: string) => string | undefined;

export interface Refusal {
  /** Found in the text of a body that is refused; its first group is the field's name there. */
  readonly sees: RegExp;
  /** Absent: those in which the vendor refuses a field that it does not know. */
  readonly words?: string;
}

/** A field that is not known by this name, nor as other wires spell it. */
export function unsupported(field: string, ...others: readonly string[]): Refusal {
  const camel = field.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return { sees: new RegExp(`"(${[field, camel, ...others].join("|")})":`) };
}

export function says(question: keyof typeof QUESTIONS): JsonObject {
  return { role: "user", content: QUESTIONS[question] };
}

export function asking(question: keyof typeof QUESTIONS, more: JsonObject = {}): JsonObject {
  return { messages: [says(question)], ...more };
}

const CITY = {
  type: "object",
  properties: { city: { type: "string", description: "The name of the city, in English, without its country." } },
  required: ["city"],
  additionalProperties: false,
};

/** Long enough that a prompt without it is told from one with it by its tokens. */
export const WEATHER: JsonObject = {
  type: "function",
  function: {
    name: "get_weather",
    description:
      "Says how warm it is in a city at this very moment, in whole degrees Celsius, as measured by the nearest station that has reported within the last hour. It knows nothing of tomorrow and nothing of yesterday, nothing of wind and nothing of rain, and no city of fewer than a thousand inhabitants.",
    parameters: CITY,
  },
};
export const TIME: JsonObject = {
  type: "function",
  function: {
    name: "get_time",
    description: "Says what the time is in a city, by its own clocks, as hours and minutes; the day is not told.",
    parameters: CITY,
  },
};
export const TOOLS = [WEATHER, TIME];

export const PROFILE_SCHEMA: JsonObject = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
};

/** The caller gets these calls and no others, whole and right. */
export function calls(...expected: readonly (readonly [name: string, city: string])[]): Oracle {
  return ({ choices: [choice] }) => {
    const got = (choice?.calls ?? []).map(({ function: called }) => {
      const { name, arguments: text } = called as { name: string; arguments: string };
      return [name, (JSON.parse(text) as { city: JsonValue }).city];
    });
    if (choice?.finish !== "tool_calls") return `finish_reason is ${choice?.finish}`;
    return JSON.stringify(got) === JSON.stringify(expected) ? undefined : `the calls are ${JSON.stringify(got)}`;
  };
}

/** The caller gets this text and no call. */
export function text(expected: string, finish = "stop"): Oracle {
  return ({ choices }) => {
    const [choice] = choices;
    if (choices.length !== 1 || !choice) return `there are ${choices.length} choices`;
    return textFault(choice, expected, finish);
  };
}

function textFault(
  { content, calls: made, finish: ended }: Choice,
  expected: string,
  finish: string,
): string | undefined {
  if (made.length > 0) return `a call came: ${JSON.stringify(made)}`;
  if (content !== expected) return `the content is ${JSON.stringify(content)}`;
  return ended === finish ? undefined : `finish_reason is ${ended}`;
}

/** The caller gets this text, and what it asked went up: `token` stands in the request that was answered. */
export function goesUp(token: string | RegExp, then: Oracle): Oracle {
  const stands = (sent: string) => (typeof token === "string" ? sent.includes(token) : token.test(sent));
  return (answer, sent) => then(answer, sent) ?? (stands(sent) ? undefined : `${token} did not go up`);
}
