// A short foreign text that no format of calls or turns can be read out of. Knows no run.
import { escapeMarkers } from "../../formats/prompts/escapeMarkers.ts";
import { RENDERED_MARKERS } from "../history/repairHistory.ts";

export function sanitizeText(text: string): string {
  return escapeMarkers(text, RENDERED_MARKERS);
}
