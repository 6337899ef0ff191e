// One request of the contract's table through the official client, whole or streamed, as what the client has in hand in the end.
import OpenAI from "openai";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { Form } from "./cells.ts";

export interface Answer {
  readonly choices: readonly Choice[];
  readonly usage: JsonObject | undefined;
  readonly postel: Postel;
  /** Chunks that it came in; 1 for a whole answer. */
  readonly chunks: number;
}

export interface Choice {
  readonly content: string;
  readonly calls: readonly JsonObject[];
  /** The older spelling of a call. */
  readonly functionCall: JsonObject | undefined;
  readonly reasoning: string;
  readonly finish: string | null;
  /** The tokens whose probabilities came. */
  readonly logprobs: readonly JsonObject[];
}

interface Postel {
  readonly formats: readonly string[];
  readonly repairs: readonly string[];
  readonly issues: readonly JsonObject[];
  readonly attempts: number;
  readonly mended: readonly string[];
  readonly usage_estimated: boolean;
}

/** The code of the error that the client throws, or its answer. */
export type Reply = { readonly code: string; readonly message: string } | Answer;

export async function askGateway(client: OpenAI, request: JsonObject, form: Form): Promise<Reply> {
  try {
    return form === "whole" ? await askWhole(client, request) : await askStreamed(client, request);
  } catch (error) {
    if (error instanceof OpenAI.APIError) return { code: String(error.code), message: error.message };
    throw error;
  }
}

async function askWhole(client: OpenAI, request: JsonObject): Promise<Answer> {
  const completion = await client.chat.completions.create({ ...request, stream: false } as never);
  return read(completion as unknown as Wire, "message", 1);
}

async function askStreamed(client: OpenAI, request: JsonObject): Promise<Answer> {
  const stream = await client.chat.completions.create({ ...request, stream: true } as never);
  let whole: Wire = { choices: [] };
  let chunks = 0;
  for await (const chunk of stream as unknown as AsyncIterable<Wire>) {
    const before = whole.choices;
    whole = { ...whole, ...chunk, choices: chunk.choices.reduce(withDelta, before) };
    chunks += 1;
  }
  return read(whole, "delta", chunks);
}

interface Wire {
  readonly choices: readonly WireChoice[];
  readonly usage?: JsonObject | null;
  readonly postel?: Partial<Postel>;
}

interface WireChoice {
  readonly index: number;
  readonly message?: WireMessage;
  readonly delta?: WireMessage;
  readonly finish_reason?: string | null;
  readonly logprobs?: { readonly content?: readonly JsonObject[] | null } | null;
}

interface WireMessage {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly function_call?: JsonObject | null;
  readonly tool_calls?: readonly JsonObject[] | null;
}

function withDelta(choices: readonly WireChoice[], chunk: WireChoice): readonly WireChoice[] {
  const old = choices.find(({ index }) => index === chunk.index);
  const content = [...(old?.logprobs?.content ?? []), ...(chunk.logprobs?.content ?? [])];
  const joined: WireChoice = {
    index: chunk.index,
    delta: joinedMessage(old?.delta ?? {}, chunk.delta ?? {}),
    finish_reason: chunk.finish_reason ?? old?.finish_reason ?? null,
    logprobs: { content },
  };
  return [...choices.filter(({ index }) => index !== chunk.index), joined];
}

function joinedMessage(old: WireMessage, delta: WireMessage): WireMessage {
  const called = joinedObject(old.function_call ?? {}, delta.function_call ?? {});
  return {
    content: `${old.content ?? ""}${delta.content ?? ""}`,
    reasoning_content: `${old.reasoning_content ?? ""}${delta.reasoning_content ?? ""}`,
    ...(Object.keys(called).length > 0 && { function_call: called }),
    tool_calls: (delta.tool_calls ?? []).reduce(withFragment, old.tool_calls ?? []),
  };
}

function withFragment(calls: readonly JsonObject[], fragment: JsonObject): readonly JsonObject[] {
  const at = Number(fragment.index);
  return Object.assign([...calls], { [at]: joinedObject(calls[at] ?? {}, fragment) });
}

/** Texts that grow are joined; what is said again is not. */
function joinedObject(old: JsonObject, more: JsonObject): JsonObject {
  const entries = Object.entries(more).map(([name, value]) => {
    const before = old[name];
    if (typeof before === "object" && typeof value === "object" && before && value) {
      return [name, joinedObject(before as JsonObject, value as JsonObject)];
    }
    const grows = name === "arguments" || name === "input";
    return [name, grows ? `${before ?? ""}${value}` : value];
  });
  return { ...old, ...Object.fromEntries(entries) };
}

function read(wire: Wire, place: "message" | "delta", chunks: number): Answer {
  const {
    formats = [],
    repairs = [],
    issues = [],
    attempts = 0,
    mended = [],
    usage_estimated = false,
  } = wire.postel ?? {};
  const choices = wire.choices.toSorted((a, b) => a.index - b.index).map((choice) => readChoice(choice, place));
  return {
    choices,
    usage: wire.usage ?? undefined,
    postel: { formats, repairs, issues, attempts, mended, usage_estimated },
    chunks,
  };
}

function readChoice(choice: WireChoice, place: "message" | "delta"): Choice {
  const message = choice[place] ?? {};
  return {
    content: message.content ?? "",
    calls: message.tool_calls ?? [],
    functionCall: message.function_call ?? undefined,
    reasoning: message.reasoning_content ?? "",
    finish: choice.finish_reason ?? null,
    logprobs: choice.logprobs?.content ?? [],
  };
}
