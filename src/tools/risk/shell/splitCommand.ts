// Splits a command line by the rules of quoting, and detects shell syntax. Runs no shell and looks up no name.

/**
 * `words`: the arguments of the program. `shell`: the first character that a shell would interpret. `fault`: reason why the
 * line is invalid.
 */
export type SplitCommand =
  | { readonly type: "words"; readonly words: readonly string[] }
  | { readonly type: "shell"; readonly sign: string }
  | { readonly type: "fault"; readonly fault: string };

/** Special characters outside of quotes: lists, pipes, redirections, substitutions, file names. */
const ANYWHERE = new Set("|&;()<>\n\r`$*?[]{}");
/** Special only at the beginning of a word: comment, home, history, negation. */
const IN_FRONT = new Set("#~!");
/** A backslash escapes these within double quotes, and nothing else. */
const ESCAPED = new Set('"\\$`\n');

/** Splits a command line in one pass. Single quotes contain plain text; in double quotes substitutions are still detected. */
export function splitCommand(line: string): SplitCommand {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const sign = line.charAt(at);
    if (sign === " " || sign === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (ANYWHERE.has(sign) || (word === undefined && IN_FRONT.has(sign))) return { type: "shell", sign };
    if (sign !== "'" && sign !== '"' && sign !== "\\") {
      word = (word ?? "") + sign;
      continue;
    }
    const quoted = sign === "\\" ? escaped(line, at) : sign === "'" ? single(line, at) : double(line, at);
    if (typeof quoted === "string") return { type: "shell", sign: quoted };
    if (!quoted) return { type: "fault", fault: `the quote ${sign} has no end` };
    word = (word ?? "") + quoted.text;
    at = quoted.last;
  }
  if (word !== undefined) words.push(word);
  return { type: "words", words };
}

interface Quoted {
  readonly text: string;
  /** Index of the last character of the quoted part. */
  readonly last: number;
}

function escaped(line: string, at: number): Quoted | undefined {
  if (at + 1 >= line.length) return undefined;
  return { text: line[at + 1] === "\n" ? "" : line.charAt(at + 1), last: at + 1 };
}

function single(line: string, at: number): Quoted | undefined {
  const last = line.indexOf("'", at + 1);
  return last < 0 ? undefined : { text: line.slice(at + 1, last), last };
}

/** A text: the sign of a substitution within. */
function double(line: string, from: number): Quoted | string | undefined {
  let text = "";
  for (let at = from + 1; at < line.length; at++) {
    const sign = line.charAt(at);
    if (sign === '"') return { text, last: at };
    if (sign === "$" || sign === "`") return sign;
    const escapes = sign === "\\" && ESCAPED.has(line.charAt(at + 1));
    if (escapes) at++;
    text += escapes ? line.charAt(at) : sign;
  }
  return undefined;
}
