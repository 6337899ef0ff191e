// Extracts, merges and restores provider fields: members of JSON that the gateway does not model.

import { isObject, type JsonObject, type JsonValue } from "../messages.ts";
import type { Extra } from "./events.ts";

/** The members of `object` that are not in `known`, without null values; undefined if there are none. */
export function extractProviderFields(object: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: Record<string, JsonValue> | undefined;
  for (const name in object) {
    const value = object[name];
    // Assigning that name would set the prototype.
    if (known.has(name) || value === null || value === undefined || name === "__proto__") continue;
    rest ??= {};
    rest[name] = value;
  }
  return rest;
}

const FUNCTION_FIELDS = new Set(["name", "arguments", "description", "parameters", "strict"]);
/** `index` counts the calls of one stream, and the gateway counts its own. */
const OUTER_FIELDS = new Set(["id", "index", "type", "function", "custom"]);

/** Members for the gateway: unknown ones are not forwarded. */
const GATEWAY_MEMBER = /^x-postel-/i;

/** The members without those for the gateway; undefined if none is left. */
export function stripGatewayMembers(fields: JsonObject | undefined): JsonObject | undefined {
  if (!fields || !Object.keys(fields).some((name) => GATEWAY_MEMBER.test(name))) return fields;
  const left = Object.entries(fields).filter(([name]) => !GATEWAY_MEMBER.test(name));
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

/** The unmodelled members of a call or a tool of the wire; those of its `function` under that name. */
export function extractFunctionFields(object: JsonObject): JsonObject | undefined {
  const outer = stripGatewayMembers(extractProviderFields(object, OUTER_FIELDS));
  const functionFields = isObject(object.function)
    ? extractProviderFields(object.function, FUNCTION_FIELDS)
    : undefined;
  const inner = stripGatewayMembers(functionFields);
  return inner ? { ...outer, function: inner } : outer;
}

/** The reverse: the wire form of a call or a tool. Modelled members win. */
export function withProviderFields(extra: JsonObject | undefined, modelled: JsonObject): JsonObject {
  if (!extra) return modelled;
  const inner = isObject(extra.function) ? extra.function : {};
  const merged = isObject(modelled.function) ? modelled.function : {};
  return { ...extra, ...modelled, function: { ...inner, ...merged } };
}

/** Merges two objects: objects are merged recursively, otherwise the later value wins. */
export function mergeProviderFields(
  earlier: JsonObject | undefined,
  fields: JsonObject | undefined,
): JsonObject | undefined {
  if (!earlier || !fields) return earlier ?? fields;
  const joined = Object.entries(fields).map(([name, value]): [string, JsonValue] => {
    const old = earlier[name];
    return [name, isObject(old) && isObject(value) ? (mergeProviderFields(old, value) ?? value) : value];
  });
  return { ...earlier, ...Object.fromEntries(joined) };
}

/** Like `mergeProviderFields`, but changes `taken`, which an earlier call returned, so that nothing is copied per addition. */
export function takeLaterFields(existing: JsonObject | undefined, fields: JsonObject): JsonObject {
  const merged: Own = existing ?? {};
  for (const name in fields) {
    const value = fields[name];
    if (name === "__proto__" || value === undefined) continue;
    const old = merged[name];
    if (isObject(value)) merged[name] = takeLaterFields(isObject(old) ? old : undefined, value);
    else merged[name] = value;
  }
  return merged;
}

/** Merges the unmodelled fields of one level: lists are joined, texts of deltas too; otherwise the last value wins. */
export function mergeExtra(extra: readonly Extra[], level: Extra["level"]): JsonObject {
  return addExtra({}, extra, level);
}

/** Like `mergeExtra`, but changes an object that the caller owns. */
export function addExtra(
  own: Record<string, JsonValue>,
  extra: readonly Extra[],
  level: Extra["level"],
): Record<string, JsonValue> {
  for (const one of extra) if (one.level === level) takeExtra(own, one.fields, level);
  return own;
}

/** Like `mergeExtra`, one at a time, but changes an object that an earlier call returned. */
export function takeExtra(existing: JsonObject | undefined, fields: JsonObject, level: Extra["level"]): JsonObject {
  const merged: Own = existing ?? {};
  mergeInto(merged, fields, level === "delta");
  return merged;
}

/** A mutable object that this module created, with all nested objects and lists except elements of lists: each piece is copied once. */
interface Own {
  [name: string]: JsonValue;
}

function mergeInto(merged: Own, fields: JsonObject, shouldJoinText: boolean): void {
  for (const name in fields) {
    const value = fields[name];
    if (name === "__proto__" || value === undefined) continue;
    const existing = merged[name];
    if (Array.isArray(existing) && Array.isArray(value)) joinLists(existing as JsonValue[], value);
    else if (shouldJoinText && typeof existing === "string" && typeof value === "string")
      merged[name] = existing + value;
    else if (isObject(existing) && isObject(value)) mergeInto(existing as Own, value, shouldJoinText);
    else merged[name] = copyValue(value, shouldJoinText);
  }
}

function copyValue(value: JsonValue, shouldJoinText: boolean): JsonValue {
  if (Array.isArray(value)) {
    const list: JsonValue[] = [];
    joinLists(list, value);
    return list;
  }
  if (!isObject(value)) return value;
  const copy: Own = {};
  mergeInto(copy, value, shouldJoinText);
  return copy;
}

/** A stream sends a long element in pieces with the same index; a piece continues the previous element. */
function joinLists(list: JsonValue[], added: readonly JsonValue[]): void {
  for (const piece of added) {
    const last = list.at(-1);
    if (isObject(last) && isObject(piece) && isContinuation(last, piece))
      list[list.length - 1] = joinPiece(last, piece);
    else list.push(piece);
  }
}

/** Members of an element whose text grows; others occur once or are repeated. */
const GROWING = new Set(["text", "summary", "thinking"]);

/** A signature ends an element: a piece with the same index after it belongs to another turn. */
function isContinuation(last: JsonObject, piece: JsonObject): boolean {
  if (typeof piece.index !== "number" || piece.index !== last.index || piece.type !== last.type) return false;
  return last.signature === undefined || last.signature === null;
}

function joinPiece(last: JsonObject, piece: JsonObject): JsonObject {
  const joined: Own = { ...last };
  for (const [name, value] of Object.entries(piece)) {
    const old = last[name];
    if (GROWING.has(name) && typeof old === "string" && typeof value === "string") joined[name] = old + value;
    else if (value !== null) joined[name] = value;
  }
  return joined;
}
