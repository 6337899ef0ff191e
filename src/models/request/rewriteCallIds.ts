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
  const shown = rule.type === "made" ? madeIds(calls, rule.make) : likeIds(calls, rule.legal);
  if (shown.size === 0) return body;
  return { ...body, messages: asArray(body.messages).map((message) => rewritten(message, shown)) };
}

type ShownIds = ReadonlyMap<string, string>;

function madeIds(calls: readonly JsonValue[], make: (name: string, before: number) => string): ShownIds {
  const shown = new Map<string, string>();
  for (const [before, call] of calls.entries()) {
    const name = asString(asObject(asObject(call)?.function)?.name) ?? "";
    const id = getCallId(call);
    const made = make(name, before);
    if (id !== undefined && id !== made) shown.set(id, made);
  }
  return shown;
}

function likeIds(calls: readonly JsonValue[], legal: RegExp): ShownIds {
  const shown = new Map<string, string>();
  const ids = calls.flatMap((call) => getCallId(call) ?? []);
  const taken = new Set(ids);
  for (const id of ids) {
    if (legal.test(id) || shown.has(id)) continue;
    const drawn = drawnId(id, taken);
    taken.add(drawn);
    shown.set(id, drawn);
  }
  return shown;
}

/** Nine letters and digits, which every upstream takes. */
const DRAWN_CHARS = 9;

function drawnId(id: string, taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const letters = hash("sha256", `${id} ${attempt}`, "base64").replaceAll(/[^a-zA-Z0-9]/g, "");
    const drawn = letters.slice(0, DRAWN_CHARS);
    if (drawn.length === DRAWN_CHARS && !taken.has(drawn)) return drawn;
  }
}

function getCallId(call: JsonValue): string | undefined {
  return asString(asObject(call)?.id);
}

function rewritten(value: JsonValue, shown: ShownIds): JsonValue {
  const message = asObject(value);
  if (!message) return value;
  const answered = shown.get(asString(message.tool_call_id) ?? "");
  if (answered !== undefined) return { ...message, tool_call_id: answered };
  if (message.tool_calls === undefined) return value;
  return { ...message, tool_calls: asArray(message.tool_calls).map((call) => withShownId(call, shown)) };
}

function withShownId(call: JsonValue, shown: ShownIds): JsonValue {
  const id = shown.get(getCallId(call) ?? "");
  return id === undefined ? call : { ...asObject(call), id };
}
