// Makes foreign text unable to pose as a call or as another turn. Knows no family: it is told the marks.
import { finish, TURN } from "../../core/loopTurn.ts";
import { Pace } from "../../core/Pace.ts";

/** `Neutraliser` for one short text, in one go. */
export function neutralise(text: string, marks: readonly string[]): string {
  return finish(new Neutraliser(marks).neutralise(text));
}

/**
 * Breaks every mark in a text with one backslash, so that it can still be read, and put back by hand: after the first
 * character of a mark that starts with a bracket (`<\tool_call>`), else before its last (`Observation\:`).
 * Anything shaped like a special token (`<|im_start|>`, `<｜…｜>`) is broken too, whatever the family.
 */
export class Neutraliser {
  readonly #pattern: RegExp;
  /** Characters behind a piece that are looked at with it, so that a mark which begins in it is seen whole. */
  readonly #ahead: number;
  readonly #pace = new Pace(PIECE);

  constructor(marks: readonly string[]) {
    const alternatives = [...marks]
      .sort((a, b) => b.length - a.length)
      .map((mark) => mark.replace(/[[\]|()^$.*+?\\{}/]/g, "\\$&"));
    this.#pattern = new RegExp([...alternatives, SPECIAL_TOKEN].join("|"), "g");
    this.#ahead = marks.reduce((longest, { length }) => Math.max(longest, length), LONGEST_TOKEN);
  }

  /** The broken text, with turns of the event loop between its pieces and between many texts. */
  *neutralise(text: string): Generator<typeof TURN, string> {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      if (this.#pace.due(Math.min(PIECE, text.length - at))) yield TURN;
      const piece = this.#piece(text, at);
      pieces.push(piece.neutral);
      at = piece.to;
    }
    return pieces.join("");
  }

  /** The text from `at` on, up to the first place behind `PIECE` characters that is in no mark. */
  #piece(text: string, at: number): { readonly neutral: string; readonly to: number } {
    const border = Math.min(at + PIECE, text.length);
    // A token's bar is told by the character before it.
    const start = Math.max(0, at - 1);
    const window = text.slice(start, border + this.#ahead);
    const parts: string[] = [];
    let kept = at - start;
    this.#pattern.lastIndex = kept;
    for (let mark = this.#next(window); mark && start + mark.index < border; mark = this.#next(window)) {
      parts.push(window.slice(kept, mark.index), broken(mark[0]));
      kept = mark.index + mark[0].length;
    }
    const to = Math.max(kept + start, border);
    parts.push(window.slice(kept, to - start));
    return { neutral: parts.join(""), to };
  }

  #next(window: string): RegExpExecArray | null {
    return this.#pattern.exec(window);
  }
}

/** Characters that are looked through in one go: of nothing but marks, some ten milliseconds. */
const PIECE = 65_536;

/**
 * A token's end is found by its bar and what stands before it: a search that began at every letter would read each of them up to
 * sixty-four times. The named ones have no bars.
 */
const SPECIAL_TOKEN = String.raw`<[|｜]{1,64}[\w▁:/]{1,64}(?:[|｜]>)?|(?<=[\w▁:])[|｜]>|<(?:start|end)_of_turn>|\[/?INST\]|</?s>`;
const LONGEST_TOKEN = 1 + 64 + 64 + 2;

function broken(mark: string): string {
  const cut = /^\w/.test(mark) ? mark.length - 1 : 1;
  return `${mark.slice(0, cut)}\\${mark.slice(cut)}`;
}
