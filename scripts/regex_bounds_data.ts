/**
 * Regular expressions that are not linear, or are only known at run time, each with the reason
 * why no text of others can make it slow. `check_regex.ts` holds the program to this list.
 */

export interface BoundedRegex {
  file: string;
  source: string;
  /** What bounds the text it meets. */
  why: string;
}

export interface BuiltRegex {
  file: string;
  /** How its construction begins. */
  text: string;
  why: string;
  /** What it comes to; each is tried like a literal. */
  samples?: readonly string[];
}

export const BOUNDED: readonly BoundedRegex[] = [
  {
    file: "src/approval/shell/shell_lexer.ts",
    source: String
      .raw`([0-9]*|\{[A-Za-z_]\w*\})(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())`,
    why: "sticky, tried once at the beginning of each word",
  },
  {
    file: "src/approval/shell/shell_parser.ts",
    source: String.raw`(?:[a-z]+|[!{}]|\[\[)(?=[ \t\n;&|<>()]|$)`,
    why: "sticky, tried once at the beginning of each word",
  },
  {
    file: "src/approval/shell/shell_parser.ts",
    source: String.raw`[ \t]*\([ \t]*\)`,
    why: "sticky, tried once behind the first word of each command",
  },
  {
    file: "src/approval/shell/inner_code.ts",
    source: "`([^`]{1,2000})`|" + String.raw`\bqx\s*[({[|!](.{1,2000}?)[)}\]|!]`,
    why: "looks at most 2,000 characters ahead of each beginning, in a command of 128,000",
  },
  {
    file: "src/plugins/guest.ts",
    source: String.raw`\/modules\/(?!\.hermes\/)(\S+?\.\w+?)(?:\.js)?(:\d+:\d+)`,
    why: "the first 4,000 characters of a stack, in the plugin's own process",
  },
  {
    file: "src/plugins/problem.ts",
    source: String.raw`file:\/\/\S*?\/modules\/(\S+?)(\.js)?(?=[:\s"')]|$)`,
    why: "the first 4,000 characters of a message",
  },
  {
    file: "src/providers/offline_plan.ts",
    source: String.raw`\n+|;\s*|[.,!?]?\s+(?:and\s+)?then\s+|[.!?]\s+|,?\s+and\s+(?=\w+\s)`,
    why: "requests of at most 8,000 characters",
  },
  {
    file: "src/providers/offline_plan.ts",
    source: String.raw`(?<![\s.])[.!?,:]+$`,
    why: "requests of at most 8,000 characters",
  },
  {
    file: "src/registry/dispatch/outcome.ts",
    source: String.raw`^[^\S\n]*` + "```" + String.raw`(?:json|xml|html|markdown)?[^\S\n]*\n?`,
    why: "the first 8,192 characters of an error",
  },
  {
    file: "src/registry/dispatch/outcome.ts",
    source: "```" + String.raw`\s*$`,
    why: "the first 8,192 characters of an error",
  },
  {
    file: "src/registry/dispatch/outcome.ts",
    source: String.raw`<!\[CDATA\[[\s\S]*?\]\]>`,
    why: "the first 8,192 characters of an error",
  },
  {
    file: "src/sandbox/walls/launch.ts",
    source: String.raw`^\S+ r-x\S* .*?\s(\/.*?)( \(deleted\))?$`,
    why: "lines of /proc/self/maps, which the kernel writes and a path's length bounds",
  },
  {
    file: "src/util/reason.ts",
    source: String.raw`: \w+ '[^]*'$`,
    why: "only tried on a line that ends with the quote, where the first try fits",
  },
  {
    file: "src/text/redact_private_keys.ts",
    source: String
      .raw`(?:[A-Za-z0-9+/=\s\\:,]|-(?!----)){0,16384}(?=-----END [A-Z0-9 ]{0,40}PRIVATE KEY)`,
    why: "sticky, tried once behind each header of a key, and up to 16,384 characters",
  },
  {
    file: "src/text/regex_program.ts",
    source: String.raw`\\(?:u\{[0-9a-f]+\}|[pP]\{[^}]*\}|x[0-9a-f]{2}|[^])`,
    why: "expressions of at most 4,000 characters that JavaScript has accepted",
  },
  {
    file: "tools/_terminal_guard.ts",
    source: String
      .raw`\s*(?:(?:then|do|else|exec|sudo|time|command)\s|[A-Za-z_]\w*=\S*\s)`,
    why: "sticky, and the first failure ends the loop",
  },
  {
    file: "plugins/calculator/expression.ts",
    source: String.raw`\s*(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|[a-z]\w*|\*\*|[-+*/%(),])`,
    why: "sticky, and the first failure ends the loop; runs in the plugin's own process",
  },
];

const FIXED = "of constants only, and read where its module is loaded";

export const BUILT: readonly BuiltRegex[] = [
  {
    file: "src/approval/shell/expand.ts",
    text: "new RegExp(`[${chars",
    why: "one class of characters",
    samples: ["[ \\t\\n]+"],
  },
  { file: "src/approval/shell/fold.ts", text: "new RegExp(", why: FIXED },
  { file: "src/providers/classify_error_data.ts", text: "new RegExp(", why: FIXED },
  { file: "src/providers/offline_plan.ts", text: "new RegExp(", why: FIXED },
  {
    file: "src/registry/hooks/shell_hooks.ts",
    text: "new RegExp(matcher",
    why: "the user's own expression, over names of tools, which are at most 64 characters",
  },
  {
    file: "src/text/gitignore.ts",
    text: "new RegExp(sources",
    why: "globs of at most two stars or choices, over paths",
  },
  {
    file: "src/text/glob.ts",
    text: 'new RegExp(source, "u")',
    why: "a glob of at most two stars or choices, over paths",
  },
  { file: "src/text/redact.ts", text: "new RegExp(", why: FIXED },
  { file: "src/util/protected_paths_data.ts", text: "new RegExp(", why: FIXED },
  {
    file: "src/text/regex_program.ts",
    text: "new RegExp(`^${source}$`",
    why: "one character, over a text of one character",
  },
  {
    file: "src/text/search_matcher.ts",
    text: "new RegExp(source, options.flags)",
    why: "a plain text, run only when it is at most 200 characters long",
  },
  {
    file: "src/text/search_matcher.ts",
    text: "new RegExp(translated.source",
    why:
      "run only when it is short and repeats and chooses nothing, or on lines cut to what going back bears",
  },
  {
    file: "src/text/search_regex.ts",
    text: "new RegExp(`\\\\p{${name}}`",
    why: "never run, only compiled",
  },
  { file: "src/util/terminal_text.ts", text: "new RegExp(", why: FIXED },
  {
    file: "tools/_documents.ts",
    text: "new RegExp(`<${name}",
    why: "names of elements are constants",
    samples: [String.raw`<w:p(?=[\s/>])([^<>]*)>`],
  },
  {
    file: "src/process/process_tree.ts",
    text: "new RegExp(`(?:^|\\\\0)",
    why: "the name of a variable is a constant",
    samples: [String.raw`(?:^|\0)HERMES_CHILD=([^\0]*)`],
  },
];
