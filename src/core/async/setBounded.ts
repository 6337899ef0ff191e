// How a map remembers a bounded number of keys that callers choose. Knows no key's meaning.

/** Sets a key and makes it the youngest of `map`; where there are more than `most` then, the oldest is forgotten. */
export function setBounded<Key, Value>(
  map: Map<Key, Value>,
  { key, value, most }: { readonly key: Key; readonly value: Value; readonly most: number },
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
