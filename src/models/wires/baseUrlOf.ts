// Extracts the base URL from the URL of a request.

/** Returns the URL before `path` at its end, without the query; undefined if the URL has another end. */
export function stripPath(url: string, path: string): string | undefined {
  const [place = ""] = url.split("?", 1);
  return place.endsWith(path) ? place.slice(0, -path.length) : undefined;
}
