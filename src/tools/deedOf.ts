// What a call would do outside of the house, in words for a person who is to agree to it. Does nothing itself.
import type { JsonObject } from "../core/messages.ts";
import { commandFor } from "./danger/findDanger.ts";
import type { Tool } from "./Tool.ts";

/** The end of the question that begins with `May` and the tool's name; undefined where the arguments say all that is known. */
export function deedOf(tool: Tool, args: JsonObject): string | undefined {
  const command = commandFor(tool, args);
  if (command) return `run this command? ${command.shown}`;
  const request = requestFor(tool, args);
  return request === undefined ? undefined : `send this request? ${request}`;
}

function requestFor(tool: Tool, args: JsonObject): string | undefined {
  try {
    return tool.request?.(args);
  } catch {
    return undefined;
  }
}
