/**
 * The first thing hermes does on the other side: makes a private directory, leaves its helper
 * programs and the exports of every task there, and looks around. Pure text, both ways.
 */
import { shellQuote } from "../../src/util/shell_quote.ts";
import { END_PROGRAM } from "../../src/process/end_program.ts";
import { becomeShell, recordSetup } from "./_remote_protocol.ts";
import { ownScript, type RemoteFacts } from "./_remote_script.ts";

export interface SetupOptions {
  /** Unique; begins the markers of all commands. */
  id: string;
  owner: string;
  /** Exports every task starts from. */
  exports: Readonly<Record<string, string>>;
  /** Take over what a login shell exports. */
  login: boolean;
  /** Begins the records of the shell that runs it. */
  token: string;
  /** How long that one then waits for a command; default for ever. */
  waitSeconds: number | undefined;
}

export interface SetupResult {
  facts: RemoteFacts;
  /** Private directories of all owners, this one's included. */
  owners: readonly { id: string; dir: string; owner: string }[];
}

const DIR_NAME = "hermes-remote-";
/** Kept by every shell itself. */
const MANAGED = new Set(["_", "SHLVL"]);

/** Afterwards the shell waits for a command, so that the next command need not start another. */
export function setupScript(options: SetupOptions): string {
  const { token, waitSeconds } = options;
  const again = becomeShell(token);
  const limited = waitSeconds === undefined
    ? ""
    : `[ $r = 0 ] || ${becomeShell(token, waitSeconds)}`;
  return `b=1; s=$(command -v bash) || { b=0; s=$(command -v sh) || s=/bin/sh; }
"$s" -c 'read -t 1 x' </dev/null 2>/dev/null; [ $? -le 1 ]; r=$((1-$?))
${recordSetup(token, ownScript(probeScript(options)))}
${limited}
${again}`;
}

function probeScript({ id, owner, exports, login }: SetupOptions): string {
  const lines = Object.entries(exports).map(([name, value]) =>
    `export ${name}=${shellQuote(value)}\n`
  );
  const profile = `$t "$s" -l -c 'export -p >"$1"' sh "$d/base" </dev/null >/dev/null 2>&1`;
  return `umask 077
p=\${TMPDIR:-/tmp}; [ -w "$p" ] || p=$HOME
d=$p/${DIR_NAME}${id}
mkdir "$d" || exit
printf %s ${shellQuote(END_PROGRAM)} >"$d/end" || exit
printf %s ${shellQuote(owner)} >"$d/owner"
t=; command -v timeout >/dev/null && t="timeout 10"
${login ? profile : ":"}
printf %s ${shellQuote(lines.join(""))} >>"$d/base" || exit
printf '%s\\0' "$d" "\${HOME:-/}" "$s" "$b" "$r" "$(export -p)"
for f in "$p"/${DIR_NAME}*/owner; do [ -r "$f" ] && printf '%s\\0' "\${f%/owner}" "$(cat "$f")"; done
exit 0`;
}

/** Undefined for anything but the output of a setup that worked. */
export function parseSetup(output: string): SetupResult | undefined {
  const [dir, home, shell, bash, timedRead, exported, ...rest] = output.split("\0");
  if (exported === undefined || !dir!.startsWith("/")) return undefined;
  const owners = [];
  for (let i = 0; i + 1 < rest.length; i += 2) {
    const path = rest[i]!;
    const id = path.slice(path.lastIndexOf(DIR_NAME) + DIR_NAME.length);
    if (/^[0-9a-z]+$/.test(id)) owners.push({ id, dir: path, owner: rest[i + 1]! });
  }
  const facts: RemoteFacts = {
    dir: dir!,
    home: home!,
    shell: shell!,
    bash: bash === "1",
    timedRead: timedRead === "1",
    inherited: exportedNames(exported),
  };
  return { facts, owners };
}

/** Names in the output of `export -p`; a name too many does no harm. */
function exportedNames(text: string): string[] {
  const names = [...text.matchAll(/^(?:declare -x|export) (\w+)/gm)].map((match) => match[1]!);
  return names.filter((name) => !MANAGED.has(name));
}
