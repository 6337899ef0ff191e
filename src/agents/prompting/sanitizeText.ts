// Escapes all call and message markers in a short untrusted text.
import { escapeMarkers } from "../../formats/prompts/escapeMarkers.ts";
import { RENDERED_MARKERS } from "../history/repairHistory.ts";

export function sanitizeText(text: string): string {
  return escapeMarkers(text, RENDERED_MARKERS);
}
