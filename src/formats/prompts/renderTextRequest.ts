// Converts a conversation with tools to plain text messages for a model in text mode.
import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { ContentPart, Message, ToolChoice, ToolSpec } from "../../core/messages.ts";
import { joinText } from "../../core/messages.ts";
import { resolveRendering } from "../specs/prompts.ts";
import { MarkerEscaper } from "./escapeMarkers.ts";
import { type CallText, type PromptFormat, type ResultText, renderList } from "./PromptFormat.ts";
import { renderToolSection } from "./toolSection.ts";

export interface TextRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean | undefined;
  /** Id of the format. An unknown id means the most widely trained form. */
  readonly emulate: string;
  readonly systemRole: "system" | "developer" | "user";
  /** Instructions of the model's profile about calls, one a line. */
  readonly prompt?: readonly string[] | undefined;
}

export interface RenderedRequest {
  readonly messages: readonly Message[];
  readonly stop: readonly string[];
}

/**
 * Returns the messages with roles system, developer, user and assistant only, and the stop words of the format. Tools are
 * described at the end of the leading system text. Results become one user turn, in the order of their calls, with the
 * format's markers broken. The caller's own system and user text stays unchanged. Without offered tools the history is
 * still rendered, but nothing is added. A long history is rendered with turns of the event loop in between.
 */
export function* renderTextRequest(request: TextRequest): Generator<typeof YIELD, RenderedRequest> {
  const rendering = resolveRendering(request.emulate);
  const offered = request.tools.length > 0 && request.toolChoice.type !== "none";
  const first = request.messages.findIndex((message) => !isSystem(message));
  const head = first === -1 ? request.messages.length : first;
  const system = [
    ...request.messages.slice(0, head).map((message) => joinText(message.content)),
    ...(offered ? [yield* renderToolSection(rendering, request)] : []),
  ].filter((text) => text !== "");
  const turns = new TurnWriter(rendering, request.systemRole);
  if (system.length > 0) turns.instruct(system.join("\n\n"));
  for (const message of request.messages.slice(head)) yield* turns.add(message);
  return { messages: turns.finish(), stop: offered ? rendering.stop : [] };
}

function isSystem(message: Message): boolean {
  return message.role === "system" || message.role === "developer";
}

/** Removes fields for the upstream's own wire, which text messages cannot carry. */
function withoutWireFields({ extra: _extra, reasoningField: _field, ...message }: Message): Message {
  return message;
}

/** Characters of arguments that are written in one slice, and the additional cost of a call. */
const CALLS_A_TURN = 65_536;
const CALL = 256;

/** Writes the turns one after the other. Buffers results until the turn that answers a set of calls is complete. */
class TurnWriter {
  readonly #rendering: PromptFormat;
  readonly #neutraliser: MarkerEscaper;
  readonly #pace = new YieldBudget(CALLS_A_TURN);
  readonly #systemRole: TextRequest["systemRole"];
  readonly #messages: Message[] = [];
  readonly #calls = new Map<string, Omit<CallText, "arguments">>();
  #held: ResultText[] = [];
  /** User text that waits for the next user turn, so that strict templates see roles alternate. */
  #prefix: string[] = [];
  #index = 0;

  constructor(rendering: PromptFormat, systemRole: TextRequest["systemRole"]) {
    this.#rendering = rendering;
    this.#neutraliser = new MarkerEscaper(rendering.marks);
    this.#systemRole = systemRole;
  }

  instruct(text: string): void {
    if (this.#systemRole === "user") this.#prefix.push(text);
    else this.#messages.push({ role: this.#systemRole, content: text });
  }

  *add(message: Message): Generator<typeof YIELD, void> {
    if (message.role === "tool") {
      yield* this.#hold(message);
      return;
    }
    this.#releaseResults();
    switch (message.role) {
      case "system":
      case "developer":
        if (this.#systemRole !== "user") this.#flushPrefix();
        this.instruct(joinText(message.content));
        return;
      case "user":
        this.#messages.push({ ...withoutWireFields(message), content: this.#prefixed(message.content) });
        return;
      case "assistant":
        this.#flushPrefix();
        for (const call of message.toolCalls ?? []) if (this.#pace.isDue(CALL + call.arguments.length)) yield YIELD;
        this.#messages.push(this.#assistant(message));
        return;
      default:
        message.role satisfies never;
    }
  }

  finish(): readonly Message[] {
    this.#releaseResults();
    this.#flushPrefix();
    return this.#messages;
  }

  #assistant(message: Message): Message {
    const { toolCalls = [], toolCallId: _, ...rest } = withoutWireFields(message);
    const text = joinText(message.content);
    if (toolCalls.length === 0) return { ...rest, content: text };
    const calls = toolCalls.map(({ id, name, arguments: json }) => ({
      id,
      index: this.#index++,
      name,
      arguments: json,
    }));
    for (const { id, index, name } of calls) this.#calls.set(id, { id, index, name });
    const before = text === "" ? "" : this.#rendering.preamble(text);
    return { ...rest, content: before + renderList(this.#rendering.calls, calls) };
  }

  *#hold(message: Message): Generator<typeof YIELD, void> {
    const id = message.toolCallId ?? "";
    // A result without its call in the history (it was cut away) goes last, under its own name.
    const call = this.#calls.get(id) ?? { id, index: this.#index, name: message.name ?? "unknown_tool" };
    this.#held.push({ call, content: yield* this.#neutraliser.neutralise(joinText(message.content)) });
  }

  #releaseResults(): void {
    if (this.#held.length === 0) return;
    const inOrder = this.#held.toSorted((a, b) => a.call.index - b.call.index);
    this.#prefix.push(renderList(this.#rendering.results, inOrder));
    this.#held = [];
  }

  #flushPrefix(): void {
    if (this.#prefix.length === 0) return;
    this.#messages.push({ role: "user", content: this.#prefixed("") });
  }

  #prefixed(content: Message["content"]): string | readonly ContentPart[] {
    const plain = content === null || typeof content === "string" || content.every((part) => part.type === "text");
    const before = this.#prefix.join("\n\n");
    this.#prefix = [];
    if (plain) return [before, joinText(content)].filter((text) => text !== "").join("\n\n");
    return before === "" ? content : [{ type: "text", text: before }, ...content];
  }
}
