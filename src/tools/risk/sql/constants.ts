// Evaluates SQL constants; column values and everything not evaluated stay unknown.

export type Constant = string | number | boolean | null;

/** Tokens from `from` up to `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A test of a column value, so that `x = 1` and `x <> 1` are known as one test, affirmed and denied. */
interface Fact {
  readonly test: string;
  readonly of: readonly Span[];
  readonly denied: boolean;
}

/** `fixed`: the same for all rows, but not evaluated. */
export type Judged =
  | { readonly type: "known"; readonly value: Constant }
  | { readonly type: "fixed" }
  | { readonly type: "row"; readonly fact?: Fact | undefined };

/**
 * `always`: it holds for every row, or its value does not depend on rows. `never`: it holds for none. `by-row`: it depends on
 * the row. `unread`: it is nested too deep, or has unknown syntax.
 */
export type Truth = "always" | "never" | "by-row" | "unread";

export function toKnown(value: Constant): Judged {
  return { type: "known", value };
}

/** Undefined if databases disagree about the truth of a text. */
export function getTruth(value: Constant): boolean | null | undefined {
  if (typeof value !== "string") return value === null ? null : Boolean(value);
  if (/^\s*(?:t|true|y|yes|on)\s*$/i.test(value)) return true;
  if (/^\s*(?:f|false|n|no|off|)\s*$/i.test(value)) return false;
  const number = Number.parseFloat(value);
  return Number.isNaN(number) ? undefined : number !== 0;
}

export function negate(value: Judged): Judged {
  if (value.type === "row") return { type: "row", fact: value.fact && { ...value.fact, denied: !value.fact.denied } };
  if (value.type === "fixed") return value;
  const held = getTruth(value.value);
  return held === undefined ? { type: "fixed" } : toKnown(held === null ? null : !held);
}

export function joinAnd(one: Judged, other: Judged): Judged {
  const [left, right] = [judge(one), judge(other)];
  if (left === false || right === false) return toKnown(false);
  if (left === true) return other;
  if (right === true) return one;
  if (one.type === "row" || other.type === "row") return { type: "row" };
  return left === null && right === null ? toKnown(null) : { type: "fixed" };
}

export function joinOr(one: Judged, other: Judged): Judged {
  const [left, right] = [judge(one), judge(other)];
  if (left === true || right === true) return toKnown(true);
  if (one.type === "fixed" || other.type === "fixed") return { type: "fixed" };
  if (left === false) return other;
  if (right === false) return one;
  if (one.type === "row" || other.type === "row") return { type: "row" };
  return left === null && right === null ? toKnown(null) : { type: "fixed" };
}

export function compareDifferent(one: Judged, other: Judged): Judged {
  const [left, right] = [judge(one), judge(other)];
  if (typeof left === "boolean" && typeof right === "boolean") return toKnown(left !== right);
  return join(one, other);
}

/** Combines two values by an operator without a truth value. */
export function join(one: Judged, other: Judged): Judged {
  return { type: one.type === "row" || other.type === "row" ? "row" : "fixed" };
}

/** Applies signs such as `-` and `!` to a value. */
export function applySigns(signs: readonly string[], value: Judged): Judged {
  if (signs.length === 1 && signs[0] === "!") return negate(value);
  if (value.type !== "known" || typeof value.value !== "number" || signs.some((sign) => sign !== "-" && sign !== "+"))
    return join(value, value);
  return toKnown(signs.filter((sign) => sign === "-").length % 2 === 0 ? value.value : -value.value);
}

/** `=`, `==`, `<=>`, `<` and `>`; `fixed` if databases disagree. */
export function compareConstants(sign: string, left: Constant, right: Constant): Judged {
  if (left === null || right === null) return toKnown(sign === "<=>" ? left === right : null);
  const texts = [left, right].filter((value) => typeof value === "string").length;
  // A text and a number: some databases convert one of them, for others they are never equal.
  if (texts === 1) return { type: "fixed" };
  const [one, other] = texts === 2 ? [left, right] : [Number(left), Number(right)];
  if (one === other) return toKnown(sign !== "<" && sign !== ">");
  if (typeof one === "string" && typeof other === "string") return compareTexts(sign, one, other);
  return toKnown(sign === "<" ? one < other : sign === ">" && one > other);
}

/** Some databases compare without capitals and without spaces at the end. */
function compareTexts(sign: string, one: string, other: string): Judged {
  const same = one.trimEnd().toLowerCase() === other.trimEnd().toLowerCase();
  if (same || sign === "<" || sign === ">") return { type: "fixed" };
  return toKnown(false);
}

function judge(value: Judged): boolean | null | undefined {
  return value.type === "known" ? getTruth(value.value) : undefined;
}
