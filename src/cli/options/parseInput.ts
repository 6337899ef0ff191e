// Merges the values of `--input` into one object: pairs, JSON objects, and files of these.

import { readFileSync } from "node:fs";
import { createFailure, PostelError } from "../../core/failures.ts";
import { parseObject } from "../../core/json/jsonObjectText.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { TakenInput } from "./inputSchema.ts";

/**
 * The value of a pair is text, unless its schema requires another type: then it is JSON. @param raw each `name=value`, a
 * JSON object, or `@` and a file name with one. @throws PostelError `invalid_request` for anything else, a duplicate name,
 * and a pair with an unknown name.
 */
export function parseInput(raw: readonly string[], inputSchema: TakenInput): JsonObject {
  const input = new Map<string, JsonValue>();
  for (const [name, value] of raw.flatMap((one) => Object.entries(parsePart(one, inputSchema)))) {
    if (input.has(name)) throw createInputError(`${name} is given twice.`);
    input.set(name, value);
  }
  return Object.fromEntries(input);
}

function parsePart(raw: string, inputSchema: TakenInput): JsonObject {
  if (raw.startsWith("@")) return parseJsonObject(readContent(raw.slice(1)), `the file ${raw.slice(1)} holds none`);
  if (raw.trimStart().startsWith("{")) return parseJsonObject(raw, "this is none");
  const end = raw.indexOf("=");
  if (end > 0) return parsePair(raw.slice(0, end), raw.slice(end + 1), inputSchema);
  throw createInputError(`expected name=value, a JSON object or @file, as in --input topic=bees; got ${raw}.`);
}

function readContent(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw createInputError(`the file ${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function parseJsonObject(json: string, fault: string): JsonObject {
  const object = parseObject(json);
  if (object) return object;
  throw createInputError(`expected a JSON object, as in --input '{"query": "…"}'; ${fault}.`);
}

function parsePair(name: string, text: string, { owner, properties, others }: TakenInput): JsonObject {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (schema === undefined && !others) {
    const names = Object.entries(properties).map(formatInput).join(", ") || "nothing";
    throw createInputError(`${owner} takes no ${name}; it takes ${names}.`);
  }
  const types = readTypes(schema);
  if (types.length === 0 || types.includes("string")) return { [name]: text };
  const value = parseJson(text);
  if (value !== undefined) return { [name]: value };
  throw createInputError(
    `${owner} takes ${name} as ${types.join(" or ")}, written as JSON; ${text || "nothing"} is none.`,
  );
}

function formatInput([name, schema]: readonly [string, JsonValue]): string {
  const types = readTypes(schema);
  return types.length === 0 ? name : `${name} (${types.join(" or ")})`;
}

function readTypes(schema: JsonValue | undefined): readonly string[] {
  const type = isObject(schema) ? schema.type : undefined;
  return [type ?? []].flat().filter((one) => typeof one === "string");
}

function createInputError(problem: string): PostelError {
  return new PostelError(createFailure("invalid_request", `--input: ${problem}`));
}
