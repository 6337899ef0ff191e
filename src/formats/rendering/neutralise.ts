// Makes foreign text unable to pose as a call or as another turn. Knows no family: it is told the marks.

/**
 * Breaks every mark in `text` with one backslash, so that it can still be read, and put back by hand: after the first
 * character of a mark that starts with a bracket (`<\tool_call>`), else before its last (`Observation\:`).
 * Anything shaped like a special token (`<|im_start|>`, `<｜…｜>`) is broken too, whatever the family.
 */
export function neutralise(text: string, marks: readonly string[]): string {
  const alternatives = [...marks]
    .sort((a, b) => b.length - a.length)
    .map((mark) => mark.replace(/[[\]|()^$.*+?\\{}/]/g, "\\$&"));
  return text.replace(new RegExp([...alternatives, SPECIAL_TOKEN].join("|"), "g"), broken);
}

/**
 * A token's end is found by its bar and what stands before it: a search that began at every letter would read each of them up to
 * sixty-four times. The named ones have no bars.
 */
const SPECIAL_TOKEN = String.raw`<[|｜]+[\w▁:/]{1,64}(?:[|｜]>)?|(?<=[\w▁:])[|｜]>|<(?:start|end)_of_turn>|\[/?INST\]|</?s>`;

function broken(mark: string): string {
  const cut = /^\w/.test(mark) ? mark.length - 1 : 1;
  return `${mark.slice(0, cut)}\\${mark.slice(cut)}`;
}
