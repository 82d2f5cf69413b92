/**
 * How deeply source text could be nested, without parsing it: the parsers of the runtime go as
 * deep as the code does and end the whole process when their stack is full. An estimate from above.
 */

/** Deeper than anybody writes, far from where a parser breaks. */
const LIMIT = 400;
/** Comments, strings and regular expressions: what stands in them is no code and ends no statement. */
const TEXT = String
  .raw`\/\*[^]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<=[=(,:;!&|?{}+*%^~<>[-]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`;
/** Operators that are words: before their operand, or between two. */
const PREFIX =
  "new|typeof|await|void|yield|delete|keyof|unique|readonly|infer|asserts|async|class|extends|declare";
const INFIX = "in|instanceof|as|satisfies|extends|is";
/** A line that ends with an operand, before one that begins with another: the end of a statement. */
const STATEMENT_END = String
  .raw`(?<=[\w)\]}"'${"`"}])(?<!\b(?:${PREFIX}|${INFIX}))[ \t]*\r?\n\s*(?!(?:${INFIX})\b)(?=[\w"'${"`"}#@])|;`;
const TOKEN = new RegExp(
  String
    .raw`(?<text>${TEXT})|(?<end>${STATEMENT_END}|,)|(?<open>[([{])|(?<close>[)\]}])|(?<deep>=>|<)|(?<flow>\b(?:if|else|for|while|do|with)\b)|(?<tag>${"`"})|\b(?:${PREFIX}|${INFIX})\b|[!?~+*/%&|^=:.-]`,
  "g",
);
/** What one more of a kind adds, by how many of them a parser survives. */
const COST = { deep: 1, flow: 0.05, operator: 0.1, call: 0.01 };

/** True when parsing the text could exhaust the stack. */
export function isTooDeep(source: string): boolean {
  // Short text is not deep even if all of it is one expression.
  const most = (source.match(/[([{<]|=>/g)?.length ?? 0) + source.length * COST.operator;
  if (most <= LIMIT) return false;
  // What each open bracket holds, its unfinished expression included.
  const levels = [0];
  let depth = 0;
  for (const { groups = {} } of source.matchAll(TOKEN)) {
    if (groups.text !== undefined) continue;
    if (groups.open !== undefined) {
      levels.push(1);
      depth += 1;
    } else if (groups.close !== undefined) {
      if (levels.length > 1) depth -= levels.pop()!;
      // One call after the other goes deep as well.
      levels[levels.length - 1]! += COST.call;
      depth += COST.call;
    } else if (groups.end !== undefined) {
      const own = levels.length > 1 ? 1 : 0;
      depth -= levels.at(-1)! - own;
      levels[levels.length - 1] = own;
    } else if (groups.flow !== undefined) {
      // Statements in statements need no bracket: they are never counted down.
      depth += COST.flow;
    } else {
      const kind = groups.deep !== undefined ? "deep" : groups.tag ? "call" : "operator";
      const cost = COST[kind];
      levels[levels.length - 1]! += cost;
      depth += cost;
    }
    if (depth > LIMIT) return true;
  }
  return false;
}
