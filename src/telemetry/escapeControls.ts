// Escapes characters that a terminal or a log viewer would obey.

/**
 * Controls (C0 except tab and line feed, DEL, C1), line and paragraph separators, and characters that change the writing direction.
 * Characters that only join or separate letters stay: emoji and many scripts need them.
 */
const OBEYED = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** All that cannot be seen. */
const HIDDEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Safe for JSON text too: its controls are escaped already, and these escapes are JSON's. */
export function escapeControls(text: string): string {
  return text.replaceAll(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Escapes controls and invisible characters, for display of single characters. */
export function escapeHidden(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
