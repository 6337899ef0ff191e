// Escapes the given markers in untrusted text, so that it cannot pose as a call or as another turn.
import { runToCompletion, YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";

/** `Neutraliser` for one short text, in one go. */
export function escapeMarkers(text: string, markers: readonly string[]): string {
  return runToCompletion(new MarkerEscaper(markers).neutralise(text));
}

export interface NeutraliserOptions {
  /** Pattern of the special tokens that are broken too; absent: all text with the shape of one (`<|im_start|>`, `<｜…｜>`). */
  readonly tokens?: TokenPattern | undefined;
  /** Receives the original text of each marker that was broken. */
  readonly broken?: Set<string> | undefined;
}

/** Returns the pattern of tokens with so many backslashes at their break. */
export type TokenPattern = (slashes: string) => string;

/**
 * Breaks every marker in a text with one backslash, so that it stays readable and can be restored: after the first character of a
 * marker that starts with a bracket (`<\tool_call>`), else before its last (`Observation\:`). An already broken marker gets another
 * backslash, so that each text differs from its broken form. Invisible tag characters outside of a flag are written out.
 */
export class MarkerEscaper {
  readonly #pattern: RegExp;
  readonly #broken: Set<string> | undefined;
  /** Number of characters after a piece that are examined with it, so that a marker which begins in it is complete. */
  readonly #ahead: number;
  readonly #pace = new YieldBudget(PIECE);

  constructor(markers: readonly string[], { tokens = specialToken, broken }: NeutraliserOptions = {}) {
    this.#pattern = markPattern(markers, tokens, ANY_SLASHES);
    this.#broken = broken;
    this.#ahead = markers.reduce((longest, { length }) => Math.max(longest, length), LONGEST_TOKEN) + MOST_SLASHES;
  }

  /** The broken text, with turns of the event loop between its pieces and between many texts. */
  *neutralise(text: string): Generator<typeof YIELD, string> {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      if (this.#pace.isDue(Math.min(PIECE, text.length - at))) yield YIELD;
      const piece = this.#piece(text, at);
      pieces.push(piece.neutral);
      at = piece.to;
    }
    return pieces.join("");
  }

  /** Returns the text from `at` on, up to the first offset after `PIECE` characters that is in no marker. */
  #piece(text: string, at: number): { readonly neutral: string; readonly to: number } {
    const border = Math.min(at + PIECE, text.length);
    // The character before a bar decides if it belongs to a token.
    const start = Math.max(0, at - 1);
    const window = text.slice(start, border + this.#ahead);
    const parts: string[] = [];
    let kept = at - start;
    this.#pattern.lastIndex = kept;
    for (let marker = this.#next(window); marker && start + marker.index < border; marker = this.#next(window)) {
      const form = broken(marker[0]);
      if (form !== marker[0]) this.#broken?.add(marker[0]);
      parts.push(window.slice(kept, marker.index), form);
      kept = marker.index + marker[0].length;
    }
    const to = Math.max(kept + start, border);
    parts.push(window.slice(kept, to - start));
    return { neutral: parts.join(""), to };
  }

  #next(window: string): RegExpExecArray | null {
    return this.#pattern.exec(window);
  }
}

/** Characters that are examined in one slice: some ten milliseconds if they are all markers. */
const PIECE = 65_536;

/** Restores broken markers in the output of a model, but only those that it was shown. */
export class BrokenMarks {
  readonly #originals: ReadonlySet<string>;
  readonly #pattern: RegExp;

  /** @param originals the markers that a `MarkerEscaper` with the same markers and tokens has broken. */
  constructor(originals: ReadonlySet<string>, markers: readonly string[], tokens: TokenPattern = specialToken) {
    this.#originals = originals;
    this.#pattern = markPattern(markers, tokens, SLASHES);
  }

  restore(text: string): string {
    return text.replaceAll(this.#pattern, (form) => {
      const original = unbroken(form);
      return this.#originals.has(original) ? original : form;
    });
  }
}

/** Maximum backslashes with which a marker can be broken. */
const MOST_SLASHES = 9;
const SLASHES = `\\\\{1,${MOST_SLASHES}}`;
const ANY_SLASHES = `\\\\{0,${MOST_SLASHES - 1}}`;

function markPattern(markers: readonly string[], tokens: TokenPattern, slashes: string): RegExp {
  const alternatives = [...markers]
    .sort((a, b) => b.length - a.length)
    .map((marker) => compileLiteral(marker, slashes));
  return new RegExp(
    [...alternatives, tokens(slashes), FLAG, TAG_CHARACTER, WRITTEN_TAG].filter(Boolean).join("|"),
    "g",
  );
}

/** Returns the pattern of this marker with so many backslashes at its break. */
export function compileLiteral(marker: string, slashes: string): string {
  const cut = findCut(marker);
  return escaped(marker.slice(0, cut)) + slashes + escaped(marker.slice(cut));
}

function escaped(text: string): string {
  return text.replace(/[[\]|()^$.*+?\\{}/]/g, "\\$&");
}

/**
 * A token's end is found by its bar and what stands before it: a search that began at every letter would read each of them up to
 * sixty-four times. The named ones have no bars.
 */
const specialToken: TokenPattern = (s) =>
  String.raw`<${s}[|｜]{1,64}[\w▁:/]{1,64}(?:[|｜]>)?|(?<=[\w▁:])[|｜]${s}>|<${s}(?:start|end)_of_turn>|\[${s}/?INST\]|<${s}/?s>`;
const LONGEST_TOKEN = 1 + 64 + 64 + 2;

/** The flag of a part of a country: a black flag, its letters as tag characters, and their end. */
const FLAG = String.raw`\uD83C\uDFF4(?:\uDB40[\uDC30-\uDC39\uDC61-\uDC7A]){1,6}\uDB40\uDC7F`;
const TAG_CHARACTER = String.raw`\uDB40[\uDC00-\uDC7F]`;
const WRITTEN_TAG = String.raw`<\\{1,${MOST_SLASHES}}U\+E00[0-7][\dA-F]>`;

function broken(marker: string): string {
  if (marker.startsWith("\uD83C")) return marker;
  if (marker.startsWith("\uDB40")) return `<\\U+${marker.codePointAt(0)?.toString(16).toUpperCase()}>`;
  const cut = findCut(marker);
  return `${marker.slice(0, cut)}\\${marker.slice(cut)}`;
}

function unbroken(form: string): string {
  const tag = /^<\\U\+(E00..)>$/.exec(form)?.[1];
  if (tag !== undefined) return String.fromCodePoint(Number.parseInt(tag, 16));
  const slash = form.indexOf("\\");
  return form.slice(0, slash) + form.slice(slash + 1);
}

/** Offset at which a marker is broken. */
function findCut(marker: string): number {
  return /^\w/.test(marker) ? marker.length - 1 : 1;
}
