// Computes a value once per key. The map's owner decides when entries are deleted.

interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
}

/** Returns the value under `key`; computes and stores it at the first call. */
export function memoize<Key, Value>(cache: Memory<Key, Value>, key: Key, compute: (key: Key) => Value): Value {
  const cached = cache.get(key);
  if (cached !== undefined || cache.has(key)) return cached as Value;
  const value = compute(key);
  cache.set(key, value);
  return value;
}
