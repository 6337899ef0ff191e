// Creates the tool-call texts that `parser.ts` measures with.

/** The content of the arguments: one long string, or an array of small objects. */
export type ArgumentKind = "string" | "rows";

/** Characters of rows above which the parser does not repair them: it repairs at most 10,000 keys and values. */
const MAX_REPAIRED_ROW_CHARS = 48 * 1024;
/** Characters of one row. */
const ROW_CHARS = 62;

/** Returns arguments as JSON of about `size` characters. */
export function createArguments(kind: ArgumentKind, size: number): string {
  if (kind === "string")
    return JSON.stringify({ text: 'Sounding "7" fathoms\nby the mark. '.repeat(size / 36 + 1).slice(0, size) });
  const row = { buoy: "Brest North", depth: 12.5, lit: true, seen: [3, 4] };
  return JSON.stringify({ rows: Array.from({ length: Math.max(1, Math.round(size / ROW_CHARS)) }, () => row) });
}

/** Returns the largest arguments of at most about `size` characters that the parser repairs. */
export function createRepairableArguments(kind: ArgumentKind, size: number): string {
  return createArguments(kind, kind === "rows" ? Math.min(size, MAX_REPAIRED_ROW_CHARS) : size);
}

/** Returns a call of `save_chart` in Hermes format. */
export function formatHermesCall(args: string): string {
  return `<tool_call>\n${formatHermesBody(args)}\n</tool_call>`;
}

/** Returns a Hermes call with faults that models make: Python's `True` and a trailing comma. */
export function formatBrokenHermesCall(args: string): string {
  return formatHermesCall(breakJson(args));
}

/** Returns the JSON body of `formatBrokenHermesCall` without its tags. */
export function formatBrokenHermesBody(args: string): string {
  return formatHermesBody(breakJson(args));
}

/** Returns a call of `save_chart` as XML elements. */
export function formatXmlCall(args: string): string {
  const [[key, value] = ["text", ""]] = Object.entries(JSON.parse(args) as Record<string, unknown>);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `<function=save_chart>\n<parameter=${key}>\n${text}\n</parameter>\n</function>`;
}

function formatHermesBody(args: string): string {
  return `{"name": "save_chart", "arguments": ${args}}`;
}

function breakJson(args: string): string {
  return args.replaceAll("true", "True").replace(/\}$/, ",}");
}
