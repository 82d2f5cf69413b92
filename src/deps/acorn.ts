/** Lazy import of npm `acorn`: finding imports and declarations of a script before it runs. */
export { type Node, parse, type Program } from "acorn";
