// Reads a model's arguments for a vector store within limits: texts, metadata, filters. Every fault is a sentence that helps
// the model.

import type { Metadata, MetadataTest } from "../../core/config/vectorStore.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { splitText } from "./splitText.ts";

/** Texts of one call, and the parts that they may come to. */
const MOST_TEXTS = 64;
const MOST_PARTS = 256;
/** Maximum characters of a text that is embedded as one, of one that is split, and of a query. */
const WHOLE_CHARS = 32_000;
const CUT_CHARS = 500_000;
const QUERY_CHARS = 8_000;
/** Characters of an id, a title and an address. */
const NAME_CHARS = 1_000;
/** Names of metadata of one entry, values of a list, characters of a value. */
const MOST_NAMES = 32;
const MOST_VALUES = 32;
const VALUE_CHARS = 256;

const MOST_FOUND = 50;
const USUALLY_FOUND = 5;

const METADATA_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

interface Insertion {
  /** Each in its parts. */
  readonly texts: readonly (readonly string[])[];
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly metadata: Metadata;
}

/** @param chunk characters of a part; absent: each text is one. @throws Error, a sentence for the model. */
export function readInsertion(args: JsonObject, chunk: number | undefined): Insertion {
  const given = readTexts(args);
  const id = optional(args, "id");
  if (id !== undefined && given.length > 1)
    throw new Error("`id` names one text; insert the texts one by one, or leave it out.");
  const most = chunk === undefined ? WHOLE_CHARS : CUT_CHARS;
  const texts = given.map((text) => {
    const own = text.trim().toWellFormed();
    if (own === "") throw new Error("A text must not be blank.");
    if (own.length > most)
      throw new Error(`A text has at most ${most} characters; this one has ${own.length}. Insert it in parts.`);
    return chunk === undefined ? [own] : splitText(own, chunk);
  });
  const parts = texts.flat().length;
  if (parts > MOST_PARTS)
    throw new Error(`A call inserts at most ${MOST_PARTS} parts of texts; these are ${parts}. Insert fewer at once.`);
  return { texts, id, title: optional(args, "title"), url: readAddress(args), metadata: readMetadata(args.metadata) };
}

function readTexts({ text, texts }: JsonObject): readonly string[] {
  if (typeof text === "string" && (texts === undefined || texts === null)) return [text];
  const isList = Array.isArray(texts) && texts.length > 0 && texts.every((one) => typeof one === "string");
  if (!isList || (text !== undefined && text !== null))
    throw new Error("Give one of `text`, a text, and `texts`, a list of them.");
  if (texts.length > MOST_TEXTS)
    throw new Error(`A call inserts at most ${MOST_TEXTS} texts; these are ${texts.length}.`);
  return texts;
}

interface Search {
  readonly query: string;
  readonly top: number;
  readonly filter: readonly MetadataTest[];
}

/** @throws Error, a sentence for the model. */
export function readSearch({ query, top = USUALLY_FOUND, filter }: JsonObject): Search {
  if (typeof query !== "string" || query.trim() === "") throw new Error("`query` must be a text that is not blank.");
  if (query.length > QUERY_CHARS)
    throw new Error(`A query has at most ${QUERY_CHARS} characters; this one has ${query.length}.`);
  if (typeof top !== "number" || !Number.isInteger(top) || top < 1 || top > MOST_FOUND)
    throw new Error(`\`top\` must be a whole number, 1 to ${MOST_FOUND}.`);
  return { query: query.trim().toWellFormed(), top, filter: readFilter(filter) };
}

/** @throws Error, a sentence for the model. */
export function readDeletion(
  args: JsonObject,
): { readonly ids: readonly string[] } | { readonly filter: readonly MetadataTest[] } {
  const id = optional(args, "id");
  const filter = readFilter(args.filter);
  const ways = [id !== undefined, filter.length > 0, args.all === true].filter((given) => given);
  if (ways.length !== 1) throw new Error("Give one of `id`, a `filter` that tests something, and `all: true`.");
  return id === undefined ? { filter } : { ids: [id] };
}

function optional(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || value.trim() === "")
    throw new Error(`\`${name}\` must be a text that is not blank.`);
  if (value.length > NAME_CHARS) throw new Error(`\`${name}\` has at most ${NAME_CHARS} characters.`);
  return value.trim().toWellFormed();
}

function readAddress(args: JsonObject): string | undefined {
  const written = optional(args, "url");
  const protocol = written === undefined ? undefined : URL.parse(written)?.protocol;
  if (written === undefined || protocol === "https:" || protocol === "http:") return written;
  throw new Error("`url` must be an address that begins with https:// or http://.");
}

function readMetadata(value: JsonValue | undefined): Metadata {
  const named = readMembers(value, "metadata");
  return Object.fromEntries(
    named.map(([name, one]) => [name, Array.isArray(one) ? readValues(one, name) : readValue(one, name)]),
  );
}

function readFilter(value: JsonValue | undefined): readonly MetadataTest[] {
  return readMembers(value, "filter").map(([name, test]): MetadataTest => {
    if (!isObject(test)) return { type: "one-of", name, values: readValues([test].flat(), name) };
    const bounds = Object.entries(test);
    const wrong = bounds.find(([bound, number]) => !BOUNDS.has(bound) || typeof number !== "number");
    if (wrong || bounds.length === 0)
      throw new Error(`\`${name}\` must be tested by a value, a list of values, or numbers as gt, gte, lt and lte.`);
    return { type: "range", name, ...test };
  });
}

const BOUNDS: ReadonlySet<string> = new Set(["gt", "gte", "lt", "lte"]);

function readMembers(value: JsonValue | undefined, what: string): readonly (readonly [string, JsonValue])[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) throw new Error(`\`${what}\` must be an object.`);
  const members = Object.entries(value);
  if (members.length > MOST_NAMES) throw new Error(`\`${what}\` has at most ${MOST_NAMES} names.`);
  const illegal = members.find(([name]) => !METADATA_NAME.test(name));
  if (illegal)
    throw new Error(
      `Names of \`${what}\` are 1 to 64 letters, digits or \`_.-\`; ${JSON.stringify(illegal[0].slice(0, 100))} is none.`,
    );
  return members;
}

type Value = string | number | boolean;

function readValues(list: readonly JsonValue[], name: string): readonly Value[] {
  if (list.length === 0 || list.length > MOST_VALUES)
    throw new Error(`\`${name}\` must have 1 to ${MOST_VALUES} values.`);
  return list.map((one) => readValue(one, name));
}

function readValue(value: JsonValue, name: string): Value {
  if (typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "string" && value.length <= VALUE_CHARS) return value.toWellFormed();
  throw new Error(`Values of \`${name}\` must be texts of at most ${VALUE_CHARS} characters, numbers or booleans.`);
}
