// What was made of a key once, for whoever asks again. Knows no key, and forgets nothing: the map is its owner's.

interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
}

/** What `known` holds under `key`; made, and kept there, at the first time. */
export function memoize<Key, Value>(known: Memory<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const before = known.get(key);
  if (before !== undefined || known.has(key)) return before as Value;
  const made = make(key);
  known.set(key, made);
  return made;
}
