/**
 * What the terminal refuses before asking anybody: commands that would never give the
 * foreground back, and directories that are no directory names. Pure text; safety rules live
 * in the approval gate.
 */

const WORKDIR = /^[\p{L}\p{M}\p{N}/\\:_\-.~ +@=,]+$/u;
/** Where one command ends and the next may begin. */
const SEPARATORS = /[;&|(){}\n]/g;
/** What may stand before the command word: keywords, programs that run another, assignments. */
const LEADING = /\s*(?:(?:then|do|else|exec|sudo|time|command)\s|[A-Za-z_]\w*=\S*\s)/y;
const DETACHERS = /^(nohup|disown|setsid)(?=\s|$)/;
/** A lone `&`: not `&&`, `&>`, `>&`, `<&` or `|&`. */
const AMPERSAND = /(?<![&<>|])&(?![&>])/;
const HELP = /(?:^|\s)(?:--help|-h|--version|-V|help|version)(?=\s|$)/;
const DETACHED_COMPOSE = /\s(?:-d|--detach|--no-start)(?=\s|$)/;

/** Programs that serve until stopped, with what makes an invocation of them end by itself. */
const SERVERS: readonly { pattern: RegExp; ends?: RegExp }[] = [
  {
    pattern: /^((?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)(?=\s|$))([^]*)/,
  },
  {
    pattern: /^(docker(?:-|\s+)compose\s(?:[^;&|\n]*\s)?up(?=\s|$))([^]*)/,
    ends: DETACHED_COMPOSE,
  },
  { pattern: /^((?:npx\s+)?next\s+dev(?=\s|$))([^]*)/ },
  { pattern: /^((?:npx\s+)?vite(?=\s|$))([^]*)/, ends: /^\s+(?:build|optimize)\b/ },
  { pattern: /^((?:npx\s+)?nodemon(?=\s|$))([^]*)/ },
  { pattern: /^(uvicorn(?=\s|$))([^]*)/ },
  { pattern: /^(gunicorn(?=\s|$))([^]*)/ },
  { pattern: /^(python[\d.]*\s+-m\s+http\.server(?=\s|$))([^]*)/ },
];

/** True for a path that is safe to name as a working directory. */
export function isPlainDirectoryName(path: string): boolean {
  return WORKDIR.test(path);
}

/** Why a command may not run in the foreground and what to do instead; undefined when it may. */
export function foregroundRefusal(command: string): string | undefined {
  const bare = blankQuoted(command);
  const commands = commandsIn(bare);
  const detacher = commands.map(({ text }) => DETACHERS.exec(text)).find((found) => found !== null);
  if (detacher) {
    return `"${detacher[1]}" detaches a process that nothing can then read or stop. ` +
      "Run the plain command with background=true.";
  }
  const background = AMPERSAND.exec(bare)?.index;
  if (background !== undefined && !waitsAfter(commands, background)) {
    return 'The "&" leaves a process behind that nothing can read or stop. ' +
      "Run it with background=true (one call per process), or end the command with `wait`.";
  }
  for (const { pattern, ends } of SERVERS) {
    const match = commands.map(({ text }) => pattern.exec(text)).find((found) => found !== null);
    if (!match) continue;
    const [, program, rest] = match;
    if (HELP.test(rest!) || ends?.test(rest!)) continue;
    return `"${program!.trim()}" runs until it is stopped. Start it with background=true, ` +
      "then look at it with the process tool.";
  }
  return undefined;
}

/** Each command from its command word on, with its position. */
function commandsIn(bare: string): { text: string; at: number }[] {
  const commands: { text: string; at: number }[] = [];
  let at = 0;
  for (const part of bare.split(SEPARATORS)) {
    LEADING.lastIndex = 0;
    let start = 0;
    while (LEADING.test(part)) start = LEADING.lastIndex;
    commands.push({ text: part.slice(start).trimStart(), at });
    at += part.length + 1;
  }
  return commands;
}

function waitsAfter(commands: readonly { text: string; at: number }[], index: number): boolean {
  return commands.some(({ text, at }) => at > index && /^wait\b/.test(text));
}

/** The command with quoted text, comments and here-document bodies blanked out. */
function blankQuoted(command: string): string {
  return withoutBodies(command).replace(
    /\\[^]|'[^']*'|"[^"\\]*(?:\\[^][^"\\]*)*"|(^|\s)#[^\n]*/g,
    (match, lead?: string) => lead ?? (match.startsWith("\\\n") ? " " : "_"),
  );
}

/** Without the bodies of here-documents. One whose end is missing keeps its body. */
function withoutBodies(command: string): string {
  const lines = command.split("\n");
  const kept: string[] = [];
  /** Where the lines of one text stand, looked up once: there may be as many starts as lines. */
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const text = line.trimStart();
    const known = places.get(text);
    if (known) known.push(index);
    else places.set(text, [index]);
  }
  for (let i = 0; i < lines.length; i++) {
    kept.push(lines[i]!);
    const word = /<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(lines[i]!)?.[2];
    if (word === undefined) continue;
    const ends = places.get(word) ?? [];
    while (ends.length > 0 && ends[0]! <= i + 1) ends.shift();
    if (ends.length > 0) i = ends[0]!;
  }
  return kept.join("\n");
}
