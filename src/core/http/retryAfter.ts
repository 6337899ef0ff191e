// Parses the delay that a server asks for before a retry (RFC 9110).

/** Longer delays count as one day; no wait is that long. */
const MOST_MS = 86_400_000;

/**
 * Milliseconds, 0 to a day, from `retry-after-ms` (which some vendors send too) or from `retry-after`: whole seconds or
 * an HTTP date (RFC 9110, 10.2.3 and 5.6.7). Undefined if there is none, or if it is invalid.
 * @param now epoch milliseconds.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(exact)) return clampMs(Number(exact));
  const retryAfter = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(retryAfter)) return clampMs(Number(retryAfter) * 1_000);
  const date = readHttpDate(retryAfter, now);
  return date === undefined ? undefined : clampMs(date - now);
}

/** Milliseconds, 0 to a day, from the body of an error: the `RetryInfo` of gRPC's error details in JSON (`"retryDelay": "34.07s"`). Undefined if there is none. */
export function retryDelayMs(body: string): number | undefined {
  const [, seconds] = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"/.exec(body) ?? [];
  return seconds === undefined ? undefined : clampMs(Number(seconds) * 1_000);
}

function clampMs(ms: number): number {
  return Math.min(MOST_MS, Math.max(0, Math.ceil(ms)));
}

const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete forms `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. */
const HTTP_DATES: readonly RegExp[] = [
  new RegExp(String.raw`^${DAY}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT$`),
  new RegExp(String.raw`^${DAY} ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

function readHttpDate(text: string, now: number): number | undefined {
  for (const form of HTTP_DATES) {
    const parts = form.exec(text)?.groups;
    if (parts) return toTimestamp(parts, now);
  }
  return undefined;
}

/** Returns undefined for a day or an hour that does not exist. */
function toTimestamp(parts: Readonly<Record<string, string>>, now: number): number | undefined {
  const [day, hour, minute, second] = ["day", "hour", "minute", "second"].map((name) => Number(parts[name]));
  if (day === undefined || hour === undefined || minute === undefined || second === undefined) return undefined;
  const year = toFullYear(parts.year ?? "", now);
  const month = MONTHS.indexOf(parts.month ?? "");
  const midnight = new Date(Date.UTC(year, month, day));
  if (midnight.getUTCDate() !== day || midnight.getUTCMonth() !== month) return undefined;
  // A 60th second is a leap second.
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000;
}

/** A two-digit year more than 50 years ahead belongs to the last century (RFC 9110, 5.6.7). */
function toFullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
