// Data: tag names in and around one call, as the formats write them. `grammars/elements/callMarkers.ts` interprets them.

/** Token that precedes every structural tag of one format, so that a plain `<` in values is data. */
export const LEAD = "]<]minimax[>[";

export const PARAMETER_NAMES: ReadonlySet<string> = new Set([
  "parameter",
  "param",
  "__parameter",
  "_parameter",
  "argument",
  "arg",
]);
export const NAME_CHILDREN: ReadonlySet<string> = new Set(["name", "tool_name", "function_name"]);
export const ARGUMENT_CHILDREN: ReadonlySet<string> = new Set([
  "arguments",
  "parameters",
  "args",
  "params",
  "input",
  "tool_input",
  "action_input",
]);
export const CALL_NAMES: ReadonlySet<string> = new Set(["function", "__function", "_function", "invoke", "call"]);

/** Namespaces of wrappers whose template writes no newline around a value: all newlines belong to the value. */
export const UNGLUED: ReadonlySet<string> = new Set(["seed"]);

export const PAIR_NAMES: ReadonlySet<string> = new Set([
  "arg_key",
  "arg_value",
  "arg_type",
  "tool_sep",
  "|tool_arg:start|",
  "|tool_arg:value|",
  "|tool_arg:end|",
]);

/** Closers of those values that no element of the same name closes. */
export const PAIR_CLOSERS: ReadonlyMap<string, string> = new Map([["|tool_arg:value|", "|tool_arg:end|"]]);

/** Tools to which a format's own marker for program code refers, if one of them is offered. */
export const CODE_TOOLS: readonly string[] = ["python", "code_interpreter", "ipython"];
