// Checks the names of external tools.

/** 1–128 letters, digits and `_-.:/` (design §9), without `..`. */
const TOOL_NAME = /^(?!.*\.\.)[\w.:/-]{1,128}$/;

/** Text of the error message. */
export const TOOL_NAME_RULE = "A tool's name must be 1–128 letters, digits or `_`, `-`, `.`, `:`, `/`, without `..`.";

export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}
