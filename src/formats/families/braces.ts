// Calls as brace literals behind a mark of their own: the mark, its partner and the token around strings. Data only.

export interface BraceRow {
  readonly family: string;
  readonly open: string;
  readonly close: string;
  /** The token that opens and closes a string. */
  readonly quote: string;
}

/** The families whose opener is a mark of their own. */
export const BRACE_ROWS: readonly BraceRow[] = [
  { family: "gemma4", open: "|tool_call", close: "tool_call|", quote: '<|"|>' },
  { family: "functiongemma", open: "start_function_call", close: "end_function_call", quote: "<escape>" },
];
