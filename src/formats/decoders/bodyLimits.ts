// Limits for the body that one decoder call reads, and the message for a larger body.

/** Levels of objects and arrays, or of elements, that any body may have; deeper is refused. */
export const maxJsonDepth = 64;

/**
 * Maximum values in one body, including nested ones. Each costs a microsecond or two until its call is
 * fitted, and 20,000 of them are two answers of 16,000 tokens (decisions/0029). Characters cost little: a string may be long.
 */
export const maxJsonValues = 20_000;

/** The same for a body that is repaired or is no JSON, including keys: each value costs three times as much there. */
export const maxMendedValues = 10_000;

/** Maximum characters of a body that is repaired. Native arguments may be four times as long, since most of them are strict. */
export const maxMendedChars = 262_144;

/** Returns the limits for an unreadable body, if they may be the reason, as a clause without its full stop. Linear. */
export function describeBodyLimit(body: string): string | undefined {
  return body.length > maxMendedChars || mayHoldMore(body) ? LIMITS : undefined;
}

const LIMITS =
  "more than 20,000 values, or 10,000 values and keys or 262,144 characters that are not strict JSON, are not read as one call";

/** Counts separators: each value but the first of an object or a list follows a comma, and each key precedes a colon. */
function mayHoldMore(body: string): boolean {
  return (body.match(/[,:[{]/g)?.length ?? 0) > maxMendedValues;
}
