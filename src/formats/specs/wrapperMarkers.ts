// Data: markers around calls whose body decides its own dialect, with those that several formats share.

export interface WrapperMark {
  /** Canonical name of the opening marker, without namespace. */
  readonly open: string;
  /** Canonical names that close it; `/x` is a closing element. Empty: the body's own end closes it. */
  readonly close: readonly string[];
  /** A single added token: as the first thing of a turn of a model that writes it, it announces a call whatever follows. */
  readonly special?: boolean | undefined;
  /** True if models put the markers around answers too: text between them that is no call is the answer. */
  readonly noisy?: boolean | undefined;
  /** True if prose uses the word in brackets too: it is a marker only with call-like text. */
  readonly word?: boolean | undefined;
  /** True if brackets that this format's models forget are tolerated at the closer. */
  readonly looseArray?: boolean | undefined;
  /** True if text after the opener that is no value is program code, for the tool that runs code. */
  readonly code?: boolean | undefined;
}

export const TOOL_CALL: WrapperMark = { open: "tool_call", close: ["/tool_call", "/tool_calls", "/function_call"] };
export const TOOL_CALLS: WrapperMark = { open: "tool_calls", close: ["/tool_calls", "/tool_call"] };
export const FUNCTION_CALLS: WrapperMark = { open: "function_calls", close: ["/function_calls", "/function_call"] };
export const FUNCTION_CALL: WrapperMark = {
  open: "function_call",
  close: ["/function_call", "/function_calls", "/tool_call"],
};
export const TOOLS: WrapperMark = { open: "tools", close: ["/tools"] };
export const BAR_TOOL_CALL: WrapperMark = {
  open: "|tool_call|",
  close: ["|/tool_call|", "/tool_call"],
  special: true,
};
export const TOOL_CALL_START: WrapperMark = { open: "|tool_call_start|", close: ["|tool_call_end|"], special: true };
export const PYTHON_TAG: WrapperMark = { open: "|python_tag|", close: [], special: true, code: true };
export const BRACKET_TOOL_CALLS: WrapperMark = { open: "[TOOL_CALLS]", close: [], special: true };
