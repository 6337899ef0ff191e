// One JSON value against one alternative, without looking inside it: kinds, numbers, enums, and conversions that lose nothing.

import { type JsonNode, strictValue, stringAt, type ValueText } from "../bodies/jsonSpans.ts";
import { trimBlanks } from "../text/whiteSpace.ts";
import { containerAs, isInteger, maxNumberLength, numberAs, wordAs } from "./coerceText.ts";
import { type Fit, fits, misfit, type Place, replaced } from "./coercion.ts";
import type { Literals } from "./Literals.ts";
import { nameList } from "./nameList.ts";
import type { JsonType, Shape } from "./schemaTypes.ts";

/** Whether the alternative takes values of this kind. */
export function takesKind(shape: Shape, node: JsonNode, text: string): boolean {
  if (!shape.types) return true;
  if (node.kind !== "number") return shape.types.has(node.kind);
  return shape.types.has("number") || (shape.types.has("integer") && isIntegral(text.slice(node.start, node.end)));
}

function isIntegral(lexeme: string): boolean {
  return isInteger(lexeme) || Number.isInteger(Number(lexeme));
}

/** A misfit for a number that readers turn into infinity or zero: it would arrive as another number. */
export function refuseUnsafeNumber(place: Place, text: string): Fit | undefined {
  const lexeme = text.slice(place.node.start, place.node.end);
  if (lexeme.length > maxNumberLength)
    return misfit(place, text, `must be a number of at most ${maxNumberLength} digits`);
  const value = Number(lexeme);
  const vanishes = value === 0 && /^[^eE]*[1-9]/.test(lexeme);
  return Number.isFinite(value) && !vanishes
    ? undefined
    : misfit(place, text, "must be a number in the range of a double");
}

/** Holds a value of the right kind against the alternative's enum. */
export function fitLiteral(place: Place, literals: Literals, text: string): Fit {
  const value: unknown = JSON.parse(text.slice(place.node.start, place.node.end));
  if (literals.has(JSON.stringify(value))) return fits;
  const [near, other] = typeof value === "string" ? literals.like(trimBlanks(value)) : [];
  if (near !== undefined && other === undefined) {
    return replaced(place.node, JSON.stringify(near), ["enum-spelling"]);
  }
  return misfit(place, text, `must be one of ${nameList(literals, literals.size)}`);
}

/** `5.0` where only an integer is wanted: the same number, but not to every reader. */
export function fitWholeNumber(node: JsonNode, text: string): Fit {
  const whole = /^(-?\d+)\.0+$/.exec(text.slice(node.start, node.end))?.[1];
  return whole === undefined ? fits : replaced(node, whole, ["number-to-integer"]);
}

/** The same value in a kind that the alternative takes; undefined where that would be a guess. */
export function convert(node: JsonNode, shape: Shape, text: string): ValueText | undefined {
  const types = shape.types ?? new Set<JsonType>();
  if (node.kind === "string") return open(trimBlanks(stringAt(text, node)), types);
  const lexeme = text.slice(node.start, node.end);
  if (node.kind === "number" && types.has("string")) return strictValue(`"${lexeme}"`, ["number-to-string"]);
  if (node.kind === "number" && (lexeme === "0" || lexeme === "1")) {
    const json = wordAs(lexeme, types);
    return json === undefined ? undefined : strictValue(json, ["number-to-boolean"]);
  }
  const quoted = `"${lexeme}"`;
  return node.kind === "boolean" && shape.literals?.has(quoted)
    ? strictValue(quoted, ["boolean-to-string"])
    : undefined;
}

/** What a string holds, where the alternative takes no string. */
function open(content: string, types: ReadonlySet<JsonType>): ValueText | undefined {
  const word = wordAs(content, types);
  if (word !== undefined) return strictValue(word, [word === "null" ? "string-to-null" : "string-to-boolean"]);
  const number = numberAs(content, types);
  if (number !== undefined) return strictValue(number, [isInteger(number) ? "string-to-integer" : "string-to-number"]);
  const container = containerAs(content, types);
  return container && { ...container, repairs: [`string-to-${container.node.kind}`, ...container.repairs] };
}
