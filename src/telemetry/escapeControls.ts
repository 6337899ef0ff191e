// Characters that a terminal or a reader would obey, as escapes. Knows nothing of logs.

/** The C0 controls but the line feed, DEL, the C1 controls, line separators and bidirectional overrides. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be found.
const HIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Safe for JSON text too: it holds its controls as escapes already, and these escapes are JSON's. */
export function escapeControls(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
