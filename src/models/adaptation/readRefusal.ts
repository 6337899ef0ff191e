// Finds the part of a request that an error of an upstream refuses, by the text of the error. `ADAPTATIONS` has the consequences.
import type { JsonObject } from "../../core/messages.ts";
import type { Adaptation } from "./Adaptation.ts";
import { ADAPTATIONS } from "./adaptations.ts";

export interface RefusalWords {
  readonly status: number;
  /** The upstream's explanation. */
  readonly text: string;
  /** The part of the request that the error itself calls faulty (`error.param`). */
  readonly param?: string | undefined;
  /** The body that was refused. */
  readonly sentBody: JsonObject;
}

/** Returns a key of `ADAPTATIONS`; undefined if the error concerns anything else, or a single value of the caller. */
export function readRefusal({ status, text: words, param, sentBody: sent }: RefusalWords): string | undefined {
  if (!REFUSING_STATUSES.has(status)) return undefined;
  const text = words.slice(0, SEARCHED_CHARS);
  const byName = !WORDINGS_ONLY.has(status) && !ABOUT_A_DETAIL.test(text);
  let found: { readonly name: string; readonly at: number } | undefined;
  for (const [name, mend] of ADAPTATIONS) {
    if (!mend.isSent(sent) || !concerns(name, param)) continue;
    const at = mend.wordings?.exec(text)?.index ?? (byName ? placeOfName(mend, text) : undefined);
    // The first name in an error is its subject; the rest is advice.
    if (at !== undefined && at < (found?.at ?? Number.POSITIVE_INFINITY)) found = { name, at };
  }
  return found?.name;
}

/** Characters of an error that are searched. */
const SEARCHED_CHARS = 4_096;
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 422, 500, 501]);
/** Statuses of raising templates, missing server flags and missing account rights. Only complete wordings count for them. */
const WORDINGS_ONLY: ReadonlySet<number> = new Set([403, 500]);

const REFUSING = String.raw`\b(not (yet |currently )?(be )?(support(ed)?|available|enabled|allowed|permitted|implemented|recogni[sz]ed)|unsupported|unavailable|deprecated|disabled|\w+n['’]t support|no support for|unknown|unrecogni[sz]ed|unexpected|only the default|extra inputs|extra_forbidden)`;
/** A fault of one value, of one tool or of a schema is its caller's business. */
const ABOUT_A_DETAIL =
  /tools?(\[\d|\.\d|",\s*\d)|\.parameters\b|invalid[^.\n]{0,20}schema|\btoo (long|large|many|small|high|low)\b|\b(maximum|minimum|at most|at least|out of range)\b/i;

/** An error that names its faulty part is about no other: `messages[0].content` may quote anything. */
function concerns(name: string, param: string | undefined): boolean {
  const part = param?.split(/[.[]/, 1)[0];
  if (!part) return true;
  const fields = name.startsWith("role:") ? ["messages"] : (name.split(":", 1)[0] ?? "").split("+");
  return fields.includes(part);
}

/** Offset of the part's name in the same sentence as a refusing word, in either order. */
function placeOfName({ names }: Adaptation, text: string): number | undefined {
  if (names === undefined) return undefined;
  const positions = compilePatterns(names).flatMap((pattern) => pattern.exec(text)?.indices?.groups?.name?.[0] ?? []);
  return positions.length > 0 ? positions.reduce((first, at) => Math.min(first, at)) : undefined;
}

const compiled = new Map<string, readonly RegExp[]>();

function compilePatterns(names: string): readonly RegExp[] {
  const known = compiled.get(names);
  if (known) return known;
  const named = String.raw`["'\x60\\]*(?<name>${names})["'\x60\\]*`;
  const patterns = [
    new RegExp(`${REFUSING}[^.\\n]{0,40}?${named}`, "di"),
    new RegExp(`${named}[^.\\n]{0,60}?${REFUSING}`, "di"),
  ];
  compiled.set(names, patterns);
  return patterns;
}
