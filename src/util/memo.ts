/** Working something out once for each object, for as long as the object lives. */

/** `work`, remembered by the identity of its argument, which must not change afterwards. */
export function memoized<Key extends object, Value>(
  work: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, value = work(key));
    return value;
  };
}
