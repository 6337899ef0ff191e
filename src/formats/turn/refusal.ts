// Why the reading of a bracketed value was refused, in words. Knows no family.
import { DEPTH_LIMIT } from "../text/scanBalanced.ts";
import type { Turn } from "./Turn.ts";

/** What to say of the capture up to the cursor, whose value was too long for one capture or nested too deeply. */
export function refusalOf({ source, options }: Turn): string {
  return source.offset - source.heldFrom >= options.captureChars
    ? `This tool call is longer than ${options.captureChars} characters, the limit of one capture.`
    : `This tool call is nested too deeply: more than ${DEPTH_LIMIT} levels.`;
}
