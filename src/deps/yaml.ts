/** Lazy import of npm `yaml`: documents with positions, for edits and error locations. */
export { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
export type { Node, Pair, Scalar, YAMLMap } from "yaml";
