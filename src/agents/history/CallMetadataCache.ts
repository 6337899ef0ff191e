// Caches the provider fields of calls for clients that send a call back without them. Entries expire.
import { hash } from "node:crypto";
import { YieldBudget, yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { mergeProviderFields } from "../../core/events/providerFields.ts";
import { type JsonObject, joinText, type Message, type ToolCall } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";
import type { Caller } from "../../core/requests.ts";
import { callKey } from "../../core/runs/callKey.ts";
import { isPartialCopy } from "./isPartialCopy.ts";

/** Caller and model of a conversation: fields never reach another caller's request or another model. */
export interface CacheScope {
  readonly caller: Pick<Caller, "name">;
  /** Name of the model, as the caller knows it. */
  readonly model: string;
}

/** Maximum number of entries and of their characters, and the time that an unused entry is stored: one hour. */
const MAX_ENTRIES = 4_096;
const MAX_CHARS = 8_388_608;
const KEEP_MS = 3_600_000;
/** Maximum number of characters of arguments; a call with longer ones is not cached. */
const MAX_ARGUMENTS = 1_048_576;
/** Characters of arguments that are compared in one slice. */
const SLICE = 262_144;
/** Number of characters of an id with which most unknown calls are ruled out. */
const ID_CHARS = 64;

interface Remembered {
  readonly call?: JsonObject | undefined;
  /** Fields of the message around the call. Only stored with the first call, so that they are restored once. */
  readonly message?: Pick<Message, "extra" | "reasoning"> | undefined;
}

interface Entry {
  /** Beginning of the call's id. */
  readonly id: string;
  /** JSON of a `Remembered`. */
  readonly text: string;
  /** Monotonic milliseconds. */
  readonly expiresAt: number;
}

/**
 * Some upstreams refuse a history without the fields they sent with a call (thought signature, reasoning), and many
 * clients drop them. The key is the caller, the model, the call's id, name and arguments, and the last user message
 * before it, because upstreams that number their calls reuse ids.
 */
export class CallMetadataCache {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Number of entries by beginning of the call id. */
  readonly #ids = new Map<string, number>();
  #chars = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** @param message the model's answer to `conversation`. */
  store(scope: CacheScope, conversation: readonly Message[], message: Message): void {
    const { extra, reasoning, toolCalls = [] } = message;
    const messageFields = extra || reasoning ? { extra, reasoning } : undefined;
    const getKey = keys(scope, lastUser(conversation));
    for (const [position, call] of toolCalls.entries()) {
      const found: Remembered = { call: call.extra, message: position === 0 ? messageFields : undefined };
      if (!(found.call || found.message) || !isKept(call)) continue;
      this.#put(getKey(call), { id: getCallId(call), text: JSON.stringify(found) });
    }
  }

  /** Restores the fields that the client dropped. Fields that the client sent stay unchanged. */
  async recall(scope: CacheScope, messages: readonly Message[]): Promise<readonly Message[]> {
    if (this.#entries.size === 0) return messages;
    const pace = new YieldBudget(SLICE);
    let getKey = keys(scope, undefined);
    const recalled: Message[] = [];
    for (const message of messages) {
      if (message.role === "user") getKey = keys(scope, message);
      const mayBeKnown = message.toolCalls?.some((call) => this.#ids.has(getCallId(call))) ?? false;
      recalled.push(mayBeKnown ? await this.#complete(message, getKey, pace) : message);
    }
    return recalled;
  }

  async #complete(message: Message, getKey: (call: ToolCall) => string, pace: YieldBudget): Promise<Message> {
    let { extra, reasoning } = message;
    const toolCalls: ToolCall[] = [];
    for (const call of message.toolCalls ?? []) {
      const mayBeKnown = this.#ids.has(getCallId(call)) && isKept(call);
      if (mayBeKnown && pace.isDue(call.arguments.length)) await yieldToEventLoop();
      const found = mayBeKnown ? this.#get(getKey(call)) : undefined;
      extra = mergeStored(found?.message?.extra, extra);
      reasoning = completeText(found?.message?.reasoning, reasoning);
      toolCalls.push(found?.call ? { ...call, extra: mergeStored(found.call, call.extra) } : call);
    }
    return { ...message, toolCalls, extra, reasoning };
  }

  #get(key: string): Remembered | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#forget(key, entry);
    if (entry.expiresAt <= this.#clock.monotonic()) return undefined;
    this.#put(key, entry);
    return JSON.parse(entry.text) as Remembered;
  }

  #put(key: string, { id, text }: Pick<Entry, "id" | "text">): void {
    const before = this.#entries.get(key);
    if (before) this.#forget(key, before);
    if (text.length > MAX_CHARS) return;
    this.#entries.set(key, { id, text, expiresAt: this.#clock.monotonic() + KEEP_MS });
    this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
    this.#chars += text.length;
    for (const [oldest, entry] of this.#entries) {
      const stale = entry.expiresAt <= this.#clock.monotonic();
      if (!stale && this.#entries.size <= MAX_ENTRIES && this.#chars <= MAX_CHARS) return;
      this.#forget(oldest, entry);
    }
  }

  #forget(key: string, { id, text }: Entry): void {
    this.#entries.delete(key);
    this.#chars -= text.length;
    const remainingCount = (this.#ids.get(id) ?? 0) - 1;
    if (remainingCount > 0) this.#ids.set(id, remainingCount);
    else this.#ids.delete(id);
  }
}

/** Merges the stored fields with the client's. The client's value wins, unless it is a part of the stored one: some SDK helpers store only the last chunk of a stream. */
function mergeStored(
  clientFields: JsonObject | undefined,
  storedFields: JsonObject | undefined,
): JsonObject | undefined {
  if (!clientFields || !storedFields) return clientFields ?? storedFields;
  const others = Object.entries(storedFields).filter(([name, value]) => !isPartialCopy(value, clientFields[name]));
  return mergeProviderFields(clientFields, Object.fromEntries(others));
}

function completeText(clientFields: string | undefined, storedFields: string | undefined): string | undefined {
  return clientFields !== undefined && (storedFields === undefined || isPartialCopy(storedFields, clientFields))
    ? clientFields
    : storedFields;
}

function getCallId({ id }: ToolCall): string {
  return id.slice(0, ID_CHARS);
}

function isKept(call: ToolCall): boolean {
  return call.arguments.length <= MAX_ARGUMENTS;
}

function lastUser(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === "user");
}

/** Creates a key function. Hashes the user's message once, and only if needed. */
function keys({ caller, model }: CacheScope, user: Message | undefined): (call: ToolCall) => string {
  let text: string | undefined;
  return (call) => {
    text ??= digest(joinText(user?.content ?? null));
    return digest(JSON.stringify([caller.name, model, text, call.id, callKey(call)]));
  };
}

function digest(text: string): string {
  return hash("sha256", text, "base64");
}
