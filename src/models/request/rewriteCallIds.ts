// Rewrites the call ids of a history for an upstream, for calls and results alike. Ids of answers do not change.
import { hash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { asArray, asObject, asString } from "../looseJson.ts";

/** Rule for ids: a pattern for ids that stay, or a function that makes each id from the tool name and the number of earlier calls. */
export type IdRule =
  | { readonly type: "like"; readonly legal: RegExp }
  | { readonly type: "made"; readonly make: (name: string, before: number) => string };

/** Replaces ids that the rule refuses; equal ids stay equal and different ones different. Returns the same body if all are allowed. */
export function rewriteIds(body: JsonObject, rule: IdRule): JsonObject {
  const calls = asArray(body.messages).flatMap((message) => asArray(asObject(message)?.tool_calls));
  const renamed = rule.type === "made" ? createIds(calls, rule.make) : likeIds(calls, rule.legal);
  if (renamed.size === 0) return body;
  return { ...body, messages: asArray(body.messages).map((message) => rewriteMessage(message, renamed)) };
}

type ShownIds = ReadonlyMap<string, string>;

function createIds(calls: readonly JsonValue[], make: (name: string, before: number) => string): ShownIds {
  const renamed = new Map<string, string>();
  for (const [before, call] of calls.entries()) {
    const name = asString(asObject(asObject(call)?.function)?.name) ?? "";
    const id = getCallId(call);
    const newId = make(name, before);
    if (id !== undefined && id !== newId) renamed.set(id, newId);
  }
  return renamed;
}

function likeIds(calls: readonly JsonValue[], legal: RegExp): ShownIds {
  const renamed = new Map<string, string>();
  const ids = calls.flatMap((call) => getCallId(call) ?? []);
  const usedIds = new Set(ids);
  for (const id of ids) {
    if (legal.test(id) || renamed.has(id)) continue;
    const drawn = createUnusedId(id, usedIds);
    usedIds.add(drawn);
    renamed.set(id, drawn);
  }
  return renamed;
}

/** Nine letters and digits, which every upstream takes. */
const DRAWN_CHARS = 9;

function createUnusedId(id: string, usedIds: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const letters = hash("sha256", `${id} ${attempt}`, "base64").replaceAll(/[^a-zA-Z0-9]/g, "");
    const drawn = letters.slice(0, DRAWN_CHARS);
    if (drawn.length === DRAWN_CHARS && !usedIds.has(drawn)) return drawn;
  }
}

function getCallId(call: JsonValue): string | undefined {
  return asString(asObject(call)?.id);
}

function rewriteMessage(value: JsonValue, renamed: ShownIds): JsonValue {
  const message = asObject(value);
  if (!message) return value;
  const newCallId = renamed.get(asString(message.tool_call_id) ?? "");
  if (newCallId !== undefined) return { ...message, tool_call_id: newCallId };
  if (message.tool_calls === undefined) return value;
  return { ...message, tool_calls: asArray(message.tool_calls).map((call) => replaceCallId(call, renamed)) };
}

function replaceCallId(call: JsonValue, renamed: ShownIds): JsonValue {
  const id = renamed.get(getCallId(call) ?? "");
  return id === undefined ? call : { ...asObject(call), id };
}
