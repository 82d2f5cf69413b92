/** Lazy door to npm `yaml`: documents with positions, for edits and error locations. */
export { isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
