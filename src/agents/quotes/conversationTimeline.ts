// Lists the texts that a model may quote from and the calls that it made, each with its position in time.
import { HAND_OFF_PREFIX } from "../../core/config/agentToolNames.ts";
import type { Message, ToolCall } from "../../core/messages.ts";
import type { ExecutedCall } from "../../core/runs/RunState.ts";
import type { AttemptConversation } from "../Agent.ts";
import { CARRIED } from "../run/joinResults.ts";

/** A text of another author: a tool's result, or a task that another model or a workflow wrote for this agent. */
export interface SourceText {
  /** Position among all texts and calls of the conversation, from 0. */
  readonly time: number;
  readonly text: string;
}

/** A call that the model made. */
interface MadeCall {
  readonly time: number;
  readonly call: ToolCall;
}

export interface Timeline {
  readonly texts: readonly SourceText[];
  readonly calls: readonly MadeCall[];
}

type Quotable = Pick<AttemptConversation, "messages" | "quotable">;

/** Returns true if the conversation contains a text that a call could be quoted from. */
export function hasSourceText({ messages, quotable }: Quotable): boolean {
  if (quotable) return true;
  for (const { role, isSummary } of messages) if (role === "tool" || isSummary) return true;
  return false;
}

/** Lists texts and calls. Results that the gateway wrote, and system, developer and user messages, are no sources. */
export function readTimeline({ messages: shown, quotable = {} }: Quotable): Timeline {
  const { messages = shown, executed = [], isDelegated = false } = quotable;
  const results = new Map(executed.map((one) => [one.call.id, one]));
  const texts: SourceText[] = [];
  const calls: MadeCall[] = [];
  let time = 0;
  const addTexts = (all: readonly string[]): void => {
    for (const text of all) if (text !== "") texts.push({ time: time++, text });
  };
  const addCall = (call: ToolCall): void => void calls.push({ time: time++, call });
  // Calls that are no longer among the messages came before them.
  for (const one of listEarlierCalls(messages, executed)) {
    addCall(one.call);
    addTexts(textsOfResult(one));
  }
  for (const message of messages) {
    if (message.role === "tool") addTexts(textsOfTool(message, results));
    else if (message.isSummary) addTexts(getTexts(message).map(stripBreaks));
    else if (isDelegated && message.role === "user") addTexts(getTexts(message));
    else if (message.role === "assistant") addTexts(getTexts(message).flatMap(splitCarried));
    for (const call of message.toolCalls ?? []) {
      addCall(call);
      if (call.name.startsWith(HAND_OFF_PREFIX)) addTexts([call.arguments]);
    }
  }
  return { texts, calls };
}

/** Results of gateway tools that a client sends back in the answer that contained them. */
function splitCarried(text: string): readonly string[] {
  const start = text.indexOf(CARRIED);
  return start < 0 ? [] : [text.slice(start)];
}

function listEarlierCalls(messages: readonly Message[], executed: readonly ExecutedCall[]): readonly ExecutedCall[] {
  if (executed.length === 0) return executed;
  const known = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
  return executed.filter(({ call }) => !known.has(call.id));
}

function textsOfTool(message: Message, results: ReadonlyMap<string, ExecutedCall>): readonly string[] {
  const run = results.get(message.toolCallId ?? "");
  const texts = run ? textsOfResult(run) : [];
  if (message.isFromGateway) return texts;
  return [...new Set([...getTexts(message), ...texts])];
}

/** The result as the tool returned it, before truncation. */
function textsOfResult({ result }: ExecutedCall): readonly string[] {
  return result.isFromGateway ? [] : [result.whole ?? result.content];
}

/** The texts of all parts, whatever their type. */
function getTexts({ content }: Message): readonly string[] {
  if (content === null) return [];
  if (typeof content === "string") return [content];
  const texts = content.map((part) => (typeof part.text === "string" ? part.text : ""));
  return [...texts, texts.join("")];
}

/** Removes the escapes from markers, for comparison. */
export function stripBreaks(text: string): string {
  return text.replaceAll(/(?<=[<[|｜\w])\\(?=[/|｜\w:>])/g, "");
}
