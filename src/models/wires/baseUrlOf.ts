// The base URL in the URL of a request. Knows no wire.

/** What stands before a path at the end of a URL, whatever its query; undefined where it ends otherwise. */
export function stripPath(url: string, path: string): string | undefined {
  const [place = ""] = url.split("?", 1);
  return place.endsWith(path) ? place.slice(0, -path.length) : undefined;
}
