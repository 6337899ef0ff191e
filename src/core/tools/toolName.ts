// What a tool may be called, for all who take tools from outside. Knows no tool.

/** Letters, digits and `_-.:/`, 1–128 of them (design §9); a path step up is no name. */
const TOOL_NAME = /^(?!.*\.\.)[\w.:/-]{1,128}$/;

/** What a refusal of a name says. */
export const TOOL_NAME_RULE = "A tool's name must be 1–128 letters, digits or `_`, `-`, `.`, `:`, `/`, without `..`.";

export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}
