// Escapes characters that a terminal or a log viewer would obey.

/**
 * Controls (C0 but the tab and the line feed, DEL, C1), line and paragraph separators, and what turns the direction of writing. What
 * only joins or parts letters stays: emoji and many scripts are written with it.
 */
const OBEYED = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** All that cannot be seen. */
const HIDDEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Safe for JSON text too: it holds its controls as escapes already, and these escapes are JSON's. */
export function escapeControls(text: string): string {
  return text.replaceAll(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** For whoever looks at a text's characters one by one. */
export function escapeHidden(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
