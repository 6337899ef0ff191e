// Texts as a person reads them who is to decide by them: nothing in them is unseen. Knows no question.

/** Control characters, those that nobody sees or that turn a text around, and spaces that look like one; a line's end and a tab are seen. */
const UNSEEN = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** Each of them written out, as in `\u{202e}`. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
