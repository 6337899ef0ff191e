// How one family of models reads tools, calls and results as text: data for the prompt. Knows nothing of requests or parsing.
import type { ToolSpec } from "../../core/messages.ts";

/** A call of the history, or an example. */
export interface CallText {
  readonly id?: string | undefined;
  /** Position among all calls of the conversation, from 0: some families count on. */
  readonly index: number;
  readonly name: string;
  /** JSON text of the arguments. */
  readonly arguments: string;
}

/** What a call gave; `content` holds no mark of the family any more. */
export interface ResultText {
  readonly call: Omit<CallText, "arguments">;
  readonly content: string;
}

/** How tools are listed; each is written by itself, so that a long list can be written in turns of the event loop. */
export interface ToolList {
  readonly before: string;
  readonly one: (tool: ToolSpec) => string;
  readonly between: string;
  readonly after: string;
}

export interface Rendering {
  /** Heading and list of the tools. */
  readonly toolList: ToolList;
  /** Sentences before the example of a call: how the model must write one. */
  readonly how: string;
  /** How several calls of one answer are written; absent: the format carries one call an answer. */
  readonly several?: string | undefined;
  /** How an answer without a call is written, where it is not plain text. */
  readonly answer?: string | undefined;
  /** What models of this family are known to write instead, forbidden in so many words. */
  readonly never: readonly string[];
  /** An assistant's text that is followed by calls, with the glue between them. */
  readonly preamble: (text: string) => string;
  readonly calls: (calls: readonly CallText[]) => string;
  /** What a model that is to think in labelled lines writes before its call; absent: nothing. */
  readonly thought?: ((text: string) => string) | undefined;
  /** The user turn that carries the results, in the order of the calls. */
  readonly results: (results: readonly ResultText[]) => string;
  /** Stop words that the format relies on. */
  readonly stop: readonly string[];
  /** Exact texts that a result must not contain, since they would read as a call or as another turn. */
  readonly marks: readonly string[];
}
