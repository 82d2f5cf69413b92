/** Plain nested objects addressed by dotted paths. Pure. */

export type Tree = Record<string, unknown>;

/** True for `{}` literals and parsed JSON or YAML mappings. */
export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at `a.b.0.c`, or undefined. Inherited properties do not count. */
export function getPath(tree: unknown, path: string): unknown {
  let value = tree;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Tree)[key];
  }
  return value;
}

/** Sets the value at a dotted path, making the mappings on the way; a number enters a list. */
export function setPath(tree: Tree, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop()!;
  let at = tree;
  for (const key of keys) {
    const next = Object.hasOwn(at, key) ? at[key] : undefined;
    if (isTree(next) || Array.isArray(next)) {
      at = next as Tree;
    } else {
      const made: Tree = {};
      define(at, key, made);
      at = made;
    }
  }
  define(at, last, value);
}

/** `over` laid on `base`: mappings merge, everything else replaces, null keeps the base. Shares nothing with `base`. */
export function mergeTrees(base: Tree, over: Tree): Tree {
  const merged: Tree = {};
  for (const [key, value] of Object.entries(base)) define(merged, key, copy(value));
  for (const [key, value] of Object.entries(over)) {
    if (value === null && Object.hasOwn(base, key)) continue;
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
    define(merged, key, isTree(value) && isTree(below) ? mergeTrees(below, value) : copy(value));
  }
  return merged;
}

/** Every leaf (scalars, lists and empty mappings) with its dotted path, in order. */
export function* leaves(tree: Tree, prefix = ""): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(tree)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (isTree(value) && Object.keys(value).length > 0) yield* leaves(value, path);
    else yield [path, value];
  }
}

/** A tree with every string passed through `map`. */
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (!isTree(value)) return value;
  const mapped: Tree = {};
  for (const [key, item] of Object.entries(value)) define(mapped, key, mapStrings(item, map));
  return mapped;
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return isTree(value) ? mergeTrees(value, {}) : value;
}

/** Plain assignment would let a key named `__proto__` change the object's prototype. */
function define(tree: Tree, key: string, value: unknown): void {
  if (key !== "__proto__") tree[key] = value;
  else {
    const open = { enumerable: true, writable: true, configurable: true };
    Object.defineProperty(tree, key, { value, ...open });
  }
}
