/**
 * Changing one key in the text of a YAML file without touching any other byte: the parsed
 * document only tells where to cut. Every result is read back and compared before it counts.
 */
import { load } from "../deps/js_yaml.ts";
import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from "../deps/yaml.ts";
import { HermesError } from "../protocol/error.ts";
import { getPath, isTree, mergeTrees, setPath, type Tree } from "./tree.ts";

type PairNode = Pair<Scalar, Node | null>;
type MapNode = YAMLMap<Scalar, Node | null>;

/** How far a path leads into the document. */
interface Descent {
  /** The pair of the last key found. */
  pair: PairNode | undefined;
  /** The node reached: the value itself, or the deepest one on the way. */
  node: Node | null;
  /** Pairs on the way, outermost first, each with the mapping it stands in. */
  trail: { map: MapNode; pair: PairNode }[];
  missing: string[];
}

/** The text with `path` set. The text must be valid YAML. */
export function setInYaml(text: string, path: string, value: unknown): string {
  const expected = mergeTrees(readTree(text), {});
  if (typeof expected.model === "string" && path.startsWith("model.")) {
    expected.model = { default: expected.model };
  }
  setPath(expected, path, value);
  const descent = descend(text, path.split("."));
  const edited = descent.missing.length === 0
    ? replaceValue(text, descent, value)
    : insert(text, descent, value);
  return verified(edited, expected, path);
}

/** The text without `path` and without parents that hold nothing else. */
export function unsetInYaml(text: string, path: string): string {
  const { trail, missing } = descend(text, path.split("."));
  if (missing.length > 0 || trail.length === 0) return text;
  let depth = trail.length - 1;
  while (depth > 0 && trail[depth]!.map.items.length === 1) depth--;
  const { map, pair } = trail[depth]!;
  const expected = without(readTree(text), path.split("."));
  return verified(removePair(text, map, pair), expected, path);
}

/** A value as one line of YAML. */
export function inlineYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(", ")}]`;
  if (isTree(value)) {
    const pairs = Object.entries(value).map(([key, v]) => `${inlineYaml(key)}: ${inlineYaml(v)}`);
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  return typeof value === "string" && isPlain(value) ? value : JSON.stringify(value ?? null);
}

/** Words that any YAML reader, old or new, takes as text. */
function isPlain(text: string): boolean {
  return /^[A-Za-z_./][A-Za-z0-9_./-]*$/.test(text) && /[A-Za-z0-9_]/.test(text) &&
    !/^(y|n|yes|no|on|off|true|false|null|none|\.inf|\.nan)$/i.test(text);
}

function readTree(text: string): Tree {
  if (parseDocument(text, { logLevel: "silent", uniqueKeys: false }).contents === null) return {};
  const value: unknown = load(text.replace(/^\ufeff/, ""));
  return isTree(value) ? value : {};
}

function descend(text: string, keys: readonly string[]): Descent {
  const root = parseDocument(text, { logLevel: "silent", uniqueKeys: false }).contents as
    | Node
    | null;
  const descent: Descent = { pair: undefined, node: root, trail: [], missing: [] };
  for (const [i, key] of keys.entries()) {
    const { node } = descent;
    const item = isSeq(node) ? node.items[Number(key)] as Node | undefined : undefined;
    if (isMap<Scalar, Node | null>(node)) {
      const pair = node.items.find((candidate) => String(candidate.key.value) === key);
      if (pair === undefined) return { ...descent, missing: keys.slice(i) };
      descent.trail.push({ map: node, pair });
      descent.pair = pair;
      descent.node = pair.value;
    } else if (item !== undefined) {
      descent.pair = undefined;
      descent.node = item;
    } else {
      return { ...descent, missing: keys.slice(i) };
    }
  }
  return descent;
}

function replaceValue(text: string, { node, pair }: Descent, value: unknown): string {
  const tail = text.slice(contentEnd(text, node, pair));
  const keyEnd = pair?.key.range?.[1];
  const start = node?.range?.[0] ?? keyEnd ?? 0;
  if (keyEnd !== undefined && /^\s*:\s*$/.test(text.slice(keyEnd, start))) {
    return `${text.slice(0, keyEnd)}: ${inlineYaml(value)}${tail}`;
  }
  return text.slice(0, start) + inlineYaml(value) + tail;
}

function insert(text: string, descent: Descent, value: unknown): string {
  const { node, pair, missing } = descent;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  if (isMap<Scalar, Node | null>(node) && !node.flow) {
    const last = node.items.at(-1)!;
    const at = endOfLine(text, contentEnd(text, last.value, last));
    const indent = column(text, node.items[0]!.key);
    return splice(text, at, newline + blockLines(missing, value, indent).join(newline));
  }
  if (isMap(node) || isTextModel(descent)) {
    const map = isMap(node) ? node.toJSON() as Tree : { default: (node as Scalar).value };
    setPath(map, missing.join("."), value);
    return replaceValue(text, descent, map);
  }
  if (pair !== undefined && (node === null || (isScalar(node) && node.value === null))) {
    const at = endOfLine(text, contentEnd(text, node, pair));
    const lines = blockLines(missing, value, column(text, pair.key) + 2);
    return splice(text, at, newline + lines.join(newline));
  }
  if (node !== null) throw cannotEdit(missing.join("."));
  const separator = text === "" || text.endsWith("\n") ? "" : newline;
  return text + separator + blockLines(missing, value, 0).join(newline) + newline;
}

/** `model: some-id` is short for `model: { default: some-id }`. */
function isTextModel(descent: Descent): boolean {
  return descent.trail.length === 1 && descent.pair?.key.value === "model" &&
    isScalar(descent.node) && typeof descent.node.value === "string";
}

function blockLines(keys: readonly string[], value: unknown, indent: number): string[] {
  return keys.map((key, i) => {
    const content = i === keys.length - 1 ? ` ${inlineYaml(value)}` : "";
    return `${" ".repeat(indent + 2 * i)}${inlineYaml(key)}:${content}`;
  });
}

function removePair(text: string, map: MapNode, pair: PairNode): string {
  if (map.flow) {
    const rest = map.toJSON() as Tree;
    delete rest[String(pair.key.value)];
    return text.slice(0, map.range![0]) + inlineYaml(rest) + text.slice(map.range![1]);
  }
  const keyStart = pair.key.range![0];
  const lineStart = text.lastIndexOf("\n", keyStart - 1) + 1;
  const next = map.items[map.items.indexOf(pair) + 1];
  if (text.slice(lineStart, keyStart).trim() !== "" && next !== undefined) {
    return text.slice(0, keyStart) + text.slice(next.key.range![0]);
  }
  const after = text.indexOf("\n", contentEnd(text, pair.value, pair));
  return text.slice(0, lineStart) + (after < 0 ? "" : text.slice(after + 1));
}

/** The tree without the leaf and without the mappings that it alone filled. */
function without(tree: Tree, keys: readonly string[]): Tree {
  const copy = mergeTrees(tree, {});
  for (let length = keys.length; length > 0; length--) {
    const parent = length === 1 ? copy : getPath(copy, keys.slice(0, length - 1).join("."));
    if (!isTree(parent)) break;
    delete parent[keys[length - 1]!];
    if (Object.keys(parent).length > 0) break;
  }
  return copy;
}

/** @throws {HermesError} when the edited text does not say exactly what was asked. */
function verified(text: string, expected: Tree, path: string): string {
  let actual: Tree;
  try {
    actual = readTree(text);
  } catch {
    throw cannotEdit(path);
  }
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw cannotEdit(path);
  return text;
}

function cannotEdit(path: string): HermesError {
  return new HermesError(`cannot change "${path}" without rewriting what is around it`, {
    hint: "Change it by hand: hermes config edit",
  });
}

function splice(text: string, at: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at);
}

/** Where a value's own text ends. A block value's range takes in its last line break; we do not. */
function contentEnd(text: string, node: Node | null, pair: PairNode | undefined): number {
  const floor = pair?.key.range?.[1] ?? 0;
  let at = Math.max(floor, node?.range?.[1] ?? floor);
  while (at > floor && /[\r\n]/.test(text[at - 1]!)) at--;
  return at;
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  if (newline < 0) return text.length;
  return text[newline - 1] === "\r" ? newline - 1 : newline;
}

function column(text: string, key: Scalar): number {
  const at = key.range![0];
  return at - (text.lastIndexOf("\n", at - 1) + 1);
}
