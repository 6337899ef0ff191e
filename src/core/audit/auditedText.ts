// Which words of a text the audit record has. Knows no event and no store.
import { hash } from "node:crypto";
import type { AuditedWords } from "../config/configuration.ts";
import type { Redact } from "../ports.ts";
import type { AuditedText } from "./audit.ts";

/** UTF-16 units of one text that the record has at most. */
export const MOST_AUDITED = 16_384;

/** Work is linear in the text, what is kept of it bounded. */
export function toAuditedText(text: string, words: AuditedWords, redact: Redact): AuditedText {
  // A hash of the text as it was would tell whoever guesses the secret that the guess is right.
  const shown = redact(text);
  const chars = shown.length;
  if (words === "none") return { chars };
  const sha256 = hash("sha256", shown);
  if (words === "hashed") return { chars, sha256 };
  // A character that the cut has halved is none.
  return { chars, sha256, text: shown.length > MOST_AUDITED ? shown.slice(0, MOST_AUDITED).toWellFormed() : shown };
}
