// Limits the number of keys in a map whose keys clients choose.

/** Sets a key as the latest of `map`, and deletes the oldest one if there are more than `most`. */
export function setBounded<Key, Value>(
  map: Map<Key, Value>,
  { key, value, maxSize }: { readonly key: Key; readonly value: Value; readonly maxSize: number },
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxSize) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
