// Prepares a text for the audit log, as the operator's policy says.
import { hash } from "node:crypto";
import type { AuditedWords } from "../config/configuration.ts";
import type { Redact } from "../ports.ts";
import type { AuditedText } from "./audit.ts";

/** Maximum number of UTF-16 units of one text in the audit log. */
export const MOST_AUDITED = 16_384;

/** Linear in the length of the text; the stored text is bounded. */
export function toAuditedText(text: string, words: AuditedWords, redact: Redact): AuditedText {
  // A hash of the original text would confirm a guessed secret.
  const shown = redact(text);
  const chars = shown.length;
  if (words === "none") return { chars };
  const sha256 = hash("sha256", shown);
  if (words === "hashed") return { chars, sha256 };
  // Removes half of a surrogate pair at the cut.
  return { chars, sha256, text: shown.length > MOST_AUDITED ? shown.slice(0, MOST_AUDITED).toWellFormed() : shown };
}
