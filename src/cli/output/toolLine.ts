// Formats a tool call and its result as one line.
import { parseJson } from "../../core/json/parseJson.ts";
import { isObject } from "../../core/messages.ts";
import { formatDuration, truncate } from "./format.ts";

export interface EndedCall {
  readonly name: string;
  /** Arguments as the model wrote them; absent if unknown. */
  readonly arguments?: string | undefined;
  readonly isError: boolean;
  /** Text of the result or the error. */
  readonly content: string;
  /** Absent if the begin was not observed. */
  readonly ms?: number | undefined;
}

/** Formats a line such as `✓ calculator 17*23 · 12 ms`, in at most `columns`; an error shows its message as far as it fits. */
export function formatToolLine(call: EndedCall, columns: number): string {
  const symbol = call.isError ? "✗" : "✓";
  const took = call.ms === undefined ? "" : ` · ${formatDuration(call.ms)}`;
  const head = `${symbol} ${call.name}`;
  const reason = call.isError ? `: ${call.content.replace(/^Error: /, "")}` : "";
  const freeColumns = columns - head.length - took.length - 1;
  const shownArguments = formatCallArguments(call.arguments);
  const argumentText =
    shownArguments === ""
      ? ""
      : ` ${truncate(shownArguments, Math.max(freeColumns - Math.min(reason.length, freeColumns >> 1), 1))}`;
  return truncate(`${head}${argumentText}${took}${reason}`, columns);
}

/** A single argument is shown as its value; several as written. */
function formatCallArguments(text = ""): string {
  const value = parseJson(text);
  if (!isObject(value)) return text;
  const [only, ...more] = Object.values(value);
  if (only === undefined) return "";
  if (more.length > 0) return text;
  return typeof only === "string" ? only : JSON.stringify(only);
}
