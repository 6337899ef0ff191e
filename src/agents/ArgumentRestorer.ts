// Puts marks that were broken in what a model was shown back to what they were, in the arguments of its calls.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { TURN } from "../core/loopTurn.ts";
import { type ToolCall, type ToolMode, textOf } from "../core/messages.ts";
import { renderingOf } from "../formats/families/renderings.ts";
import { BrokenMarks, Neutraliser, type TokenPattern } from "../formats/rendering/neutralise.ts";
import type { Conversation } from "./Agent.ts";
import { brokenTokens } from "./breakResults.ts";
import { MARKS } from "./mendHistory.ts";

export interface RestorerOptions {
  readonly conversation: Pick<Conversation, "messages" | "quotable">;
  readonly capabilities: Pick<ModelCapabilities, "tokenizesText" | "wire" | "emulate">;
  readonly toolMode: ToolMode;
}

export class ArgumentRestorer {
  readonly #options: RestorerOptions;
  /** Made for the first call that may hold a broken mark. */
  #broken: readonly BrokenMarks[] | undefined;

  constructor(options: RestorerOptions) {
    this.#options = options;
  }

  /** The call with the characters that the tools gave; itself where it holds no broken mark. */
  *restore(call: ToolCall): Generator<typeof TURN, ToolCall> {
    const { arguments: text } = call;
    if (!mayHoldBackslash(text)) return call;
    this.#broken ??= yield* this.#find();
    const restored = restoreStrings(text, this.#broken);
    if (restored === text) return call;
    return { ...call, arguments: restored, repairs: [...call.repairs, "restored-mark"] };
  }

  *#find(): Generator<typeof TURN, readonly BrokenMarks[]> {
    const { conversation, capabilities, toolMode } = this.#options;
    const { messages: shown, quotable = {} } = conversation;
    const { messages = shown, executed = [] } = quotable;
    const results = messages.filter(({ role }) => role === "tool");
    const isText = toolMode === "text";
    const own = yield* marksIn(
      results.map(({ content }) => textOf(content)),
      isText ? renderingOf(capabilities.emulate).marks : [],
      isText ? undefined : brokenTokens(capabilities),
    );
    // Results whose calls a history does not show any more, and outcomes of tasks, are told in words, with every mark broken.
    const orphans = quotable.messages ? results.map(({ content }) => textOf(content)) : [];
    const tasks = new Set(results.flatMap(({ isFromGateway, toolCallId }) => (isFromGateway ? [toolCallId] : [])));
    const outcomes = executed.flatMap(({ call, result }) => (tasks.has(call.id) ? [result.content] : []));
    const told = yield* marksIn([...orphans, ...outcomes], MARKS, undefined);
    return [...own, ...told];
  }
}

function* marksIn(
  texts: readonly string[],
  marks: readonly string[],
  tokens: TokenPattern | undefined,
): Generator<typeof TURN, readonly BrokenMarks[]> {
  if (texts.length === 0) return [];
  const broken = new Set<string>();
  const neutraliser = new Neutraliser(marks, { tokens, broken });
  for (const text of texts) yield* neutraliser.neutralise(text);
  return broken.size > 0 ? [new BrokenMarks(broken, marks, tokens)] : [];
}

/** Whether a string of this JSON text may hold a backslash. */
function mayHoldBackslash(json: string): boolean {
  return json.includes("\\\\") || /\\u005c/i.test(json);
}

/** JSON text with the marks restored in its strings; all else of it stays as it was written. */
function restoreStrings(json: string, broken: readonly BrokenMarks[]): string {
  if (broken.length === 0) return json;
  const parts: string[] = [];
  let kept = 0;
  for (let open = json.indexOf('"'); open >= 0; open = json.indexOf('"', kept)) {
    const end = endOfString(json, open);
    const literal = json.slice(open, end);
    parts.push(json.slice(kept, open), mayHoldBackslash(literal) ? restoreLiteral(literal, broken) : literal);
    kept = end;
  }
  return parts.join("") + json.slice(kept);
}

function restoreLiteral(literal: string, broken: readonly BrokenMarks[]): string {
  const value: unknown = JSON.parse(literal);
  if (typeof value !== "string") return literal;
  const restored = broken.reduce((text, one) => one.restore(text), value);
  return restored === value ? literal : JSON.stringify(restored);
}

/** Behind the quotation mark that ends the string which begins at `open`. */
function endOfString(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}
