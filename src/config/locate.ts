/** Where in the text of a YAML file a dotted key stands. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "../deps/yaml.ts";

interface Located {
  path: string;
  line?: number;
  column?: number;
}

/** Fills in line and column: of the key, or of the nearest mapping above it that exists. */
export function locate(text: string, targets: readonly Located[]): void {
  const counter = new LineCounter();
  // Keys are unique: the file was read before, and this reader compares each with every other.
  const document = parseDocument(text, {
    lineCounter: counter,
    logLevel: "silent",
    uniqueKeys: false,
  });
  for (const target of targets) {
    const offset = offsetOf(document.contents, target.path.split("."));
    if (offset === undefined) continue;
    const { line, col } = counter.linePos(offset);
    target.line = line;
    target.column = col;
  }
}

function offsetOf(root: unknown, keys: readonly string[]): number | undefined {
  let node = root;
  let offset: number | undefined;
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      if (pair === undefined) break;
      offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(key)];
      if (item === undefined) break;
      offset = (item as { range?: [number, number, number] }).range?.[0] ?? offset;
      node = item;
    } else {
      break;
    }
  }
  return offset;
}
