// Prepares a text for the audit log, as the operator's policy says.
import { hash } from "node:crypto";
import type { AuditedWords } from "../config/configuration.ts";
import type { Redact } from "../ports.ts";
import type { AuditedText } from "./audit.ts";

/** Maximum number of UTF-16 units of one text in the audit log. */
export const MOST_AUDITED = 16_384;

/** Linear in the length of the text; the stored text is bounded. */
export function toAuditedText(text: string, policy: AuditedWords, redact: Redact): AuditedText {
  // A hash of the original text would confirm a guessed secret.
  const redacted = redact(text);
  const chars = redacted.length;
  if (policy === "none") return { chars };
  const sha256 = hash("sha256", redacted);
  if (policy === "hashed") return { chars, sha256 };
  // Removes half of a surrogate pair at the cut.
  return {
    chars,
    sha256,
    text: redacted.length > MOST_AUDITED ? redacted.slice(0, MOST_AUDITED).toWellFormed() : redacted,
  };
}
