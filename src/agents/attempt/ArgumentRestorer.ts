// Restores markers that were escaped in the model's prompt to their original form, in the arguments of its calls.

import type { YIELD } from "../../core/async/yieldToEventLoop.ts";
import { joinText, type ToolCall, type ToolMode } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import { BrokenMarks, MarkerEscaper, type TokenPattern } from "../../formats/prompts/escapeMarkers.ts";
import { resolveRendering } from "../../formats/specs/prompts.ts";
import type { AttemptConversation } from "../Agent.ts";
import { RENDERED_MARKERS } from "../history/repairHistory.ts";
import { selectTokenPattern } from "../prompting/escapeResults.ts";

export interface RestorerOptions {
  readonly conversation: Pick<AttemptConversation, "messages" | "quotable">;
  readonly capabilities: Pick<ModelCapabilities, "tokenizesText" | "wire" | "emulate">;
  readonly toolMode: ToolMode;
}

export class ArgumentRestorer {
  readonly #options: RestorerOptions;
  /** Created for the first call that may contain an escaped marker. */
  #broken: readonly BrokenMarks[] | undefined;

  constructor(options: RestorerOptions) {
    this.#options = options;
  }

  /** The call with the original characters of the tool results; the same object if it contains no escaped marker. */
  *restore(call: ToolCall): Generator<typeof YIELD, ToolCall> {
    const { arguments: text } = call;
    if (!mayHoldBackslash(text)) return call;
    this.#broken ??= yield* this.#find();
    const restored = restoreStrings(text, this.#broken);
    if (restored === text) return call;
    return { ...call, arguments: restored, repairs: [...call.repairs, "restored-mark"] };
  }

  *#find(): Generator<typeof YIELD, readonly BrokenMarks[]> {
    const { conversation, capabilities, toolMode } = this.#options;
    const { messages: shownNames, quotable = {} } = conversation;
    const { messages = shownNames, executed = [] } = quotable;
    const results = messages.filter(({ role }) => role === "tool");
    const isText = toolMode === "text";
    const ownMarkers = yield* findMarkers(
      results.map(({ content }) => joinText(content)),
      isText ? resolveRendering(capabilities.emulate).marks : [],
      isText ? undefined : selectTokenPattern(capabilities),
    );
    // Results whose calls the history no longer shows, and outcomes of tasks, are shown as text with every marker escaped.
    const orphans = quotable.messages ? results.map(({ content }) => joinText(content)) : [];
    const tasks = new Set(results.flatMap(({ isFromGateway, toolCallId }) => (isFromGateway ? [toolCallId] : [])));
    const outcomes = executed.flatMap(({ call, result }) => (tasks.has(call.id) ? [result.content] : []));
    const resultMarkers = yield* findMarkers([...orphans, ...outcomes], RENDERED_MARKERS, undefined);
    return [...ownMarkers, ...resultMarkers];
  }
}

function* findMarkers(
  texts: readonly string[],
  markers: readonly string[],
  tokens: TokenPattern | undefined,
): Generator<typeof YIELD, readonly BrokenMarks[]> {
  if (texts.length === 0) return [];
  const broken = new Set<string>();
  const neutraliser = new MarkerEscaper(markers, { tokens, broken });
  for (const text of texts) yield* neutraliser.neutralise(text);
  return broken.size > 0 ? [new BrokenMarks(broken, markers, tokens)] : [];
}

/** Returns true if a string of this JSON text may contain a backslash. */
function mayHoldBackslash(json: string): boolean {
  return json.includes("\\\\") || /\\u005c/i.test(json);
}

/** Restores the markers in the strings of a JSON text; everything else stays unchanged. */
function restoreStrings(json: string, broken: readonly BrokenMarks[]): string {
  if (broken.length === 0) return json;
  const parts: string[] = [];
  let copiedEnd = 0;
  for (let open = json.indexOf('"'); open >= 0; open = json.indexOf('"', copiedEnd)) {
    const end = endOfString(json, open);
    const literal = json.slice(open, end);
    parts.push(json.slice(copiedEnd, open), mayHoldBackslash(literal) ? restoreLiteral(literal, broken) : literal);
    copiedEnd = end;
  }
  return parts.join("") + json.slice(copiedEnd);
}

function restoreLiteral(literal: string, broken: readonly BrokenMarks[]): string {
  const value: unknown = JSON.parse(literal);
  if (typeof value !== "string") return literal;
  const restored = broken.reduce((text, one) => one.restore(text), value);
  return restored === value ? literal : JSON.stringify(restored);
}

/** Index after the quotation mark that closes the string at `open`. */
function endOfString(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}
