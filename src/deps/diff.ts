/** Lazy import of npm `diff`: the shortest edit between two sequences; loaded by what edits files. */
export { diffArrays } from "diff/lib/diff/array.js";
