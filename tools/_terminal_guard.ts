/**
 * What the terminal refuses before asking anybody: commands that would never give the
 * foreground back, and directories that are no directory names. Pure text; safety rules live
 * in the approval gate.
 */

const WORKDIR = /^[\p{L}\p{M}\p{N}/\\:_\-.~ +@=,]+$/u;
/** Where a command word can stand: the start, after an operator or keyword, after assignments. */
const COMMAND_POSITION =
  String.raw`(?:^|[;&|(){}\n]|\b(?:then|do|else|exec|sudo|time|command)\s)\s*` +
  String.raw`(?:[A-Za-z_]\w*=\S*\s+)*`;
const DETACHERS = new RegExp(`${COMMAND_POSITION}(nohup|disown|setsid)(?=\\s|$|[;&|)])`, "m");
const WAITS = new RegExp(`&[^&>][^]*${COMMAND_POSITION}wait\\b`, "m");
/** A lone `&`: not `&&`, `&>`, `>&`, `<&` or `|&`. */
const AMPERSAND = /(?<![&<>|])&(?![&>])/;
const HELP = /(?:^|\s)(?:--help|-h|--version|-V|help|version)(?=\s|$)/;
const DETACHED_COMPOSE = /\s(?:-d|--detach|--no-start)(?=\s|$)/;

/** Programs that serve until stopped, with what makes an invocation of them end by itself. */
const SERVERS: readonly { pattern: string; ends?: RegExp }[] = [
  { pattern: String.raw`(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)(?=\s|$)` },
  {
    pattern: String.raw`docker(?:-|\s+)compose\s(?:[^;&|\n]*\s)?up(?=\s|$)`,
    ends: DETACHED_COMPOSE,
  },
  { pattern: String.raw`(?:npx\s+)?next\s+dev(?=\s|$)` },
  { pattern: String.raw`(?:npx\s+)?vite(?=\s|$)`, ends: /^\s+(?:build|optimize)\b/ },
  { pattern: String.raw`(?:npx\s+)?nodemon(?=\s|$)` },
  { pattern: String.raw`uvicorn(?=\s|$)` },
  { pattern: String.raw`gunicorn(?=\s|$)` },
  { pattern: String.raw`python[\d.]*\s+-m\s+http\.server(?=\s|$)` },
];

/** True for a path that is safe to name as a working directory. */
export function isPlainDirectoryName(path: string): boolean {
  return WORKDIR.test(path);
}

/** Why a command may not run in the foreground and what to do instead; undefined when it may. */
export function foregroundRefusal(command: string): string | undefined {
  const bare = blankQuoted(command);
  const detacher = DETACHERS.exec(bare);
  if (detacher) {
    return `"${detacher[1]}" detaches a process that nothing can then read or stop. ` +
      "Run the plain command with background=true.";
  }
  if (AMPERSAND.test(bare) && !WAITS.test(bare)) {
    return 'The "&" leaves a process behind that nothing can read or stop. ' +
      "Run it with background=true (one call per process), or end the command with `wait`.";
  }
  for (const { pattern, ends } of SERVERS) {
    const match = new RegExp(`${COMMAND_POSITION}(${pattern})([^;&|\\n]*)`, "m").exec(bare);
    if (match === null) continue;
    const [, program, rest] = match;
    if (HELP.test(rest!) || ends?.test(rest!)) continue;
    return `"${program!.trim()}" runs until it is stopped. Start it with background=true, ` +
      "then look at it with the process tool.";
  }
  return undefined;
}

/** The command with quoted text, comments and here-document bodies blanked out. */
function blankQuoted(command: string): string {
  const withoutBodies = command.replace(
    /(<<-?\s*(["']?)([A-Za-z_]\w*)\2[^\n]*\n)[^]*?\n\s*\3(?=\n|$)/g,
    "$1",
  );
  return withoutBodies.replace(
    /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|(^|\s)#[^\n]*/g,
    (match, lead?: string) => lead ?? (match.startsWith("\\\n") ? " " : "_"),
  );
}
