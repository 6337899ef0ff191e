// Which texts are relative paths that stay below a folder by their letters alone. Looks at no file.

/** What looks like a slash and is none, for readers of approvals and for programs that fold characters. */
const LOOK_ALIKES = /[\\\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]/u;
/** Control characters, and those that nobody sees or that turn a text around. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Why a text is no such path; undefined where it is one. */
export function validatePath(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (UNSEEN.test(text)) return "it holds a character that nobody sees";
  // What folds to a slash or a dot is one to whatever folds it.
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

/** The folder that a word names before the path: `src/` of `--file=src/${input.x}`. */
export function getPathBase(before: string): string {
  return before.slice(before.lastIndexOf("=") + 1);
}
