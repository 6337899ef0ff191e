// Texts as a person reads them who is to decide by them: nothing in them is unseen. Knows no question.

/**
 * Control characters, those that nobody sees or that turn a text around, letters that are drawn as nothing, and spaces that look like
 * one; a line's end and a tab are seen.
 */
const UNSEEN = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Each of them written out, as in `\u{202e}`. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** Each of them written out as JSON does, as in `\u202e`: the same value of the JSON text that it was. */
export function escapeUnseenInJson(text: string): string {
  return text.replaceAll(UNSEEN, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
