// Checks by their text alone that relative paths stay below a folder. Accesses no file.

/** Characters that look like a slash, to approvers or to programs that fold characters. */
const LOOK_ALIKES = /[\\\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]/u;
/** Control characters, and invisible or direction characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Reason why the text is no such path; undefined if it is one. */
export function validatePath(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (UNSEEN.test(text)) return "it holds a character that nobody sees";
  // A program that folds characters would see a slash or dot here.
  const folded = text.normalize("NFKC");
  if (LOOK_ALIKES.test(text) || slashes(folded) !== slashes(text)) return "it holds what looks like a `/` and is none";
  const segments = folded.split("/");
  if (segments[0] === "") return "it begins with `/`";
  if (segments.includes("")) return "it has an empty segment";
  if (segments.some((segment) => segment.startsWith(".") || segment.trim() === ""))
    return "a segment begins with a dot, or is blank";
  return undefined;
}

function slashes(text: string): number {
  return text.split("/").length;
}

/** The folder that precedes the path in its word: `src/` of `--file=src/${input.x}`. */
export function getPathBase(before: string): string {
  return before.slice(before.lastIndexOf("=") + 1);
}
