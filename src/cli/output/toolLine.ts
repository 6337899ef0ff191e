// A call of a tool and what came of it → the line that a person reads. Writes nothing.
import { isObject, type JsonValue } from "../../core/messages.ts";
import { formatDuration, truncate } from "./format.ts";

export interface EndedCall {
  readonly name: string;
  /** Its arguments as the model wrote them; absent where they are not known. */
  readonly arguments?: string | undefined;
  readonly isError: boolean;
  /** Of the result or the error. */
  readonly content: string;
  /** Absent where nobody saw it begin. */
  readonly ms?: number | undefined;
}

/** Such as `✓ calculator 17*23 · 12 ms`, in so many columns at the most; an error says what it was, as far as there is room. */
export function formatToolLine(call: EndedCall, columns: number): string {
  const mark = call.isError ? "✗" : "✓";
  const took = call.ms === undefined ? "" : ` · ${formatDuration(call.ms)}`;
  const head = `${mark} ${call.name}`;
  const why = call.isError ? `: ${call.content.replace(/^Error: /, "")}` : "";
  const room = columns - head.length - took.length - 1;
  const given = shownArguments(call.arguments);
  const shown = given === "" ? "" : ` ${truncate(given, Math.max(room - Math.min(why.length, room >> 1), 1))}`;
  return truncate(`${head}${shown}${took}${why}`, columns);
}

/** The only argument stands by itself; several as they are written. */
function shownArguments(text = ""): string {
  const value = parsed(text);
  if (!isObject(value)) return text;
  const [only, ...more] = Object.values(value);
  if (only === undefined) return "";
  if (more.length > 0) return text;
  return typeof only === "string" ? only : JSON.stringify(only);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
