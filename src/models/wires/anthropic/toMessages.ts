// Converts chat messages to the system text and the turns of Anthropic's Messages, in the order that the API demands.
import type { ContentBlockParam, MessageParam, TextBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { parseJson } from "../../../core/json/parseJson.ts";
import type { JsonObject } from "../../../core/messages.ts";
import { asObject, asObjects, asString } from "../../looseJson.ts";
import { type InputBlock, toContentBlocks, toTextBlocks, withCacheControl } from "./contentBlocks.ts";
import { isSignedThought } from "./thinkingFields.ts";

export interface MessagesConversation {
  readonly system: readonly TextBlockParam[];
  readonly messages: readonly MessageParam[];
}

interface Turn {
  readonly role: "user" | "assistant";
  readonly content: ContentBlockParam[];
}

/** A conversation begins with its user: for one of instructions alone, or in which the assistant speaks first. */
const OCCASION = "Begin.";
/** Content of an empty user message: without it the turn would be lost, and the order of the others with it. */
const NO_WORDS = "(no text)";

/**
 * Instructions go in front wherever they stood, in their order: a system message in the middle is taken by some of the newest models
 * only, and Anthropic's own endpoint of the chat wire does the same. Neighbours of one role are one turn, in which the results of calls
 * come first.
 * @throws PostelError `unsupported_parameter` for a content part that the wire cannot carry.
 */
export function toConversation(messages: readonly JsonObject[]): MessagesConversation {
  const system: TextBlockParam[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "system":
      case "developer":
        for (const block of markLast(toContentBlocks(message.content).filter(isText), message)) system.push(block);
        break;
      case "assistant":
        addTurn(turns, "assistant", markLast(assistantBlocks(message), message));
        break;
      case "tool":
        addResult(turns, message);
        break;
      default:
        addTurn(turns, "user", markLast(userBlocks(message), message));
    }
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [...toTextBlocks(OCCASION)] });
  trimEnd(turns.at(-1));
  return { system, messages: turns };
}

function isText(block: InputBlock): block is TextBlockParam {
  return block.type === "text";
}

function userBlocks(message: JsonObject): readonly ContentBlockParam[] {
  const blocks = toContentBlocks(message.content);
  return blocks.length > 0 ? blocks : toTextBlocks(NO_WORDS);
}

/** An empty assistant message has no turn. */
function assistantBlocks(message: JsonObject): readonly ContentBlockParam[] {
  return [
    ...thinkingBlocks(message),
    ...toContentBlocks(message.content),
    ...asObjects(message.tool_calls).map(callBlock),
  ];
}

/**
 * Only blocks that the API signed are sent back, unchanged and first; it refuses unsigned ones. They are sorted by their index in the
 * answer, since a stream may have sent one later.
 */
function thinkingBlocks(message: JsonObject): readonly ContentBlockParam[] {
  const blocks = asObjects(message.thinking_blocks).toSorted((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0));
  return blocks.filter(isSignedThought).flatMap(({ type, thinking, signature, data }): ContentBlockParam[] => {
    if (type === "redacted_thinking" && typeof data === "string") return [{ type, data }];
    if (type !== "thinking" || typeof signature !== "string") return [];
    return [{ type, thinking: asString(thinking) ?? "", signature }];
  });
}

/** That the arguments are the text of an object has been seen to (`repairHistory`). */
function callBlock(call: JsonObject): ContentBlockParam {
  const called = asObject(call.function) ?? {};
  const input = asObject(parseJson(asString(called.arguments) ?? "{}")) ?? {};
  const block = { type: "tool_use", id: asString(call.id) ?? "", name: asString(called.name) ?? "", input } as const;
  return withCacheControl(block, call);
}

/** Adds before the user's content: "tool_result" blocks must be first in the turn after the calls. */
function addResult(turns: Turn[], message: JsonObject): void {
  const content = toContentBlocks(message.content);
  const result = withCacheControl(
    {
      type: "tool_result",
      tool_use_id: asString(message.tool_call_id) ?? "",
      ...(content.length > 0 && { content: [...content] }),
    },
    message,
  ) satisfies ContentBlockParam;
  const turn = getTurn(turns, "user");
  const at = turn.content.findIndex(({ type }) => type !== "tool_result");
  turn.content.splice(at === -1 ? turn.content.length : at, 0, result);
}

function addTurn(turns: Turn[], role: Turn["role"], blocks: readonly ContentBlockParam[]): void {
  if (blocks.length === 0) return;
  const { content } = getTurn(turns, role);
  for (const block of blocks) content.push(block);
}

function getTurn(turns: Turn[], role: Turn["role"]): Turn {
  const last = turns.at(-1);
  if (last?.role === role) return last;
  const turn: Turn = { role, content: [] };
  turns.push(turn);
  return turn;
}

/** Applies the prompt-cache marker of a message to its last block. */
function markLast<Block extends ContentBlockParam>(blocks: readonly Block[], message: JsonObject): readonly Block[] {
  const last = blocks.at(-1);
  return last ? [...blocks.slice(0, -1), withCacheControl(last, message)] : blocks;
}

/** "final assistant content cannot end with trailing whitespace" */
function trimEnd(turn: Turn | undefined): void {
  const last = turn?.content.at(-1);
  if (turn?.role !== "assistant" || last?.type !== "text") return;
  turn.content[turn.content.length - 1] = { ...last, text: last.text.trimEnd() };
}
