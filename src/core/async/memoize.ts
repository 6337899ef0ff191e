// Computes a value once per key. The map's owner decides when entries are deleted.

interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
}

/** Returns the value under `key`; computes and stores it at the first call. */
export function memoize<Key, Value>(known: Memory<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const before = known.get(key);
  if (before !== undefined || known.has(key)) return before as Value;
  const made = make(key);
  known.set(key, made);
  return made;
}
