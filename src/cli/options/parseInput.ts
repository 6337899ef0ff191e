// Merges the values of `--input` into one object: pairs, JSON objects, and files of these.

import { readFileSync } from "node:fs";
import { createFailure, PostelError } from "../../core/failures.ts";
import { parseObject } from "../../core/json/jsonObjectText.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { TakenInput } from "./inputSchema.ts";

/**
 * The value of a pair is text, unless its schema requires another type: then it is JSON. @param given each `name=value`, a
 * JSON object, or `@` and a file name with one. @throws PostelError `invalid_request` for anything else, a duplicate name,
 * and a pair with an unknown name.
 */
export function parseInput(given: readonly string[], taken: TakenInput): JsonObject {
  const input = new Map<string, JsonValue>();
  for (const [name, value] of given.flatMap((one) => Object.entries(parsePart(one, taken)))) {
    if (input.has(name)) throw refused(`${name} is given twice.`);
    input.set(name, value);
  }
  return Object.fromEntries(input);
}

function parsePart(given: string, taken: TakenInput): JsonObject {
  if (given.startsWith("@"))
    return parseJsonObject(readContent(given.slice(1)), `the file ${given.slice(1)} holds none`);
  if (given.trimStart().startsWith("{")) return parseJsonObject(given, "this is none");
  const end = given.indexOf("=");
  if (end > 0) return parsePair(given.slice(0, end), given.slice(end + 1), taken);
  throw refused(`expected name=value, a JSON object or @file, as in --input topic=bees; got ${given}.`);
}

function readContent(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw refused(`the file ${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function parseJsonObject(json: string, fault: string): JsonObject {
  const object = parseObject(json);
  if (object) return object;
  throw refused(`expected a JSON object, as in --input '{"query": "…"}'; ${fault}.`);
}

function parsePair(name: string, text: string, { taker, properties, others }: TakenInput): JsonObject {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (schema === undefined && !others) {
    const names = Object.entries(properties).map(shown).join(", ") || "nothing";
    throw refused(`${taker} takes no ${name}; it takes ${names}.`);
  }
  const types = readTypes(schema);
  if (types.length === 0 || types.includes("string")) return { [name]: text };
  const value = parseJson(text);
  if (value !== undefined) return { [name]: value };
  throw refused(`${taker} takes ${name} as ${types.join(" or ")}, written as JSON; ${text || "nothing"} is none.`);
}

function shown([name, schema]: readonly [string, JsonValue]): string {
  const types = readTypes(schema);
  return types.length === 0 ? name : `${name} (${types.join(" or ")})`;
}

function readTypes(schema: JsonValue | undefined): readonly string[] {
  const type = isObject(schema) ? schema.type : undefined;
  return [type ?? []].flat().filter((one) => typeof one === "string");
}

function refused(problem: string): PostelError {
  return new PostelError(createFailure("invalid_request", `--input: ${problem}`));
}
