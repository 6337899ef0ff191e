// Data type: how the prompts of one format write tools, calls and results. Also has pieces that many formats share.
import type { ToolSpec } from "../../core/messages.ts";
import { requireObject } from "./callArguments.ts";

/** A call of the history, or an example. */
export interface CallText {
  readonly id?: string | undefined;
  /** Position among all calls of the conversation, from 0: some formats number their calls. */
  readonly index: number;
  readonly name: string;
  /** JSON text of the arguments. */
  readonly arguments: string;
}

/** Result of a call. `content` contains no marker of the format any more. */
export interface ResultText {
  readonly call: Omit<CallText, "arguments">;
  readonly content: string;
}

/** Text of a list. `one` writes each item alone, so that a long list can be written in several turns of the event loop. */
export interface Listing<Item> {
  readonly before?: string;
  readonly one: (item: Item) => string;
  readonly between?: string;
  readonly after?: string;
}

export type ToolList = Listing<ToolSpec>;

export interface PromptFormat {
  /** Heading and list of the tools. */
  readonly toolList: ToolList;
  /** Sentences before the example of a call: how the model must write one. */
  readonly how: string;
  /** Instruction for several calls in one answer; absent: the format carries one call an answer. */
  readonly several?: string | undefined;
  /** Form of an answer without a call, if it is not plain text. */
  readonly answer?: string | undefined;
  /** Known wrong spellings of models with this format, forbidden explicitly. */
  readonly never: readonly string[];
  /** An assistant's text that is followed by calls, with the glue between them. */
  readonly preamble: (text: string) => string;
  readonly calls: Listing<CallText>;
  /** Returns the text before a call, for a model that shall think in labelled lines; absent: none. */
  readonly thought?: ((text: string) => string) | undefined;
  /** The user turn that carries the results, in the order of the calls. */
  readonly results: Listing<ResultText>;
  /** Stop words that the format needs. */
  readonly stop: readonly string[];
  /** Exact texts that a result must not contain, since they would read as a call or as another turn. */
  readonly marks: readonly string[];
}

/** Prompt data of a format. Absent members have their usual value (specs/prompts.ts). */
export type RenderingRow = { readonly id: string } & Partial<PromptFormat> &
  Pick<PromptFormat, "toolList" | "how" | "never" | "calls">;

/** Renders all items with the text around them. */
export function renderList<Item>(
  { before = "", one, between = "", after = "" }: Listing<Item>,
  items: readonly Item[],
): string {
  return before + items.map((item) => one(item)).join(between) + after;
}

export const NO_FENCE = "Never put a call into a code fence or quotation marks.";
export const RAW_VALUES_RULE =
  "Write string values as they are, without quotation marks or escapes; all other values as JSON.";

/** A call as one JSON object. */
export function renderNamedCall(call: CallText, argumentsKey: "arguments" | "parameters" = "arguments"): string {
  return `{"name": ${JSON.stringify(call.name)}, "${argumentsKey}": ${requireObject(call.arguments)}}`;
}

/** The tool list as one text a line between two tags. */
export function renderToolsBetween(open: string, close: string, one: ToolList["one"]): ToolList {
  return { before: `# Tools\n\n${open}\n`, one, between: "\n", after: `\n${close}` };
}

/** Returns the results alone, in the order of the calls, each between two markers. */
export function wrapContents(open: string, close: string, between = "\n"): Listing<ResultText> {
  return { one: ({ content }) => `${open}${content}${close}`, between };
}

/** Each result on lines of its own between two tags. */
export function renderTaggedResults(open: string, close: string): Listing<ResultText> {
  return wrapContents(`${open}\n`, `\n${close}`);
}

/** Each result as JSON with the tool's name: for formats whose own result is a role that the chat wire does not have. */
export const jsonResults: Listing<ResultText> = {
  one: ({ call, content }) =>
    `<tool_response>\n{"name": ${JSON.stringify(call.name)}, "content": ${JSON.stringify(content)}}\n</tool_response>`,
  between: "\n",
};

/** Text before a call that starts on a line of its own. */
export function indentLines(text: string): string {
  return `${text}\n`;
}

/** Text before a call that goes on where it ends. */
export function joinLines(text: string): string {
  return text;
}
