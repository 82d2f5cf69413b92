/**
 * Files on the other side through its own small programs: cat, dd, stat, mv and the shell's
 * tests. Bytes travel as they are. Errors come back as the words of the system, which are the
 * same everywhere in the C locale.
 */
import type {
  DirEntry,
  FileInfo,
  ReadOptions,
  WriteOptions,
} from "../../src/protocol/environment.ts";
import { FileError, type FileErrorCode } from "../../src/protocol/error.ts";
import { randomId } from "../../src/util/id.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { fileFailure } from "../file_error.ts";
import type { OwnOptions, OwnResult } from "./_remote_script.ts";
import type { Files } from "../shell.ts";

export interface ScriptRunner {
  run(script: string, options?: OwnOptions): Promise<OwnResult>;
}

const BLOCK = 65_536;

/** What `strerror` and, about redirections, some shells say; the first one found counts. */
const SYSTEM_WORDS: readonly [RegExp, FileErrorCode][] = [
  [/No such file|[Dd]irectory nonexistent|nonexistent directory/, "ENOENT"],
  [/Permission denied|Operation not permitted/, "EACCES"],
  [/File exists/, "EEXIST"],
  [/Is a directory/, "EISDIR"],
  [/Not a directory/, "ENOTDIR"],
  [/Directory not empty/, "ENOTEMPTY"],
  [/Too many levels of symbolic links|Symbolic link loop/, "ELOOP"],
  [/No space left on device|Disk quota exceeded/, "ENOSPC"],
  [/Read-only file system/, "EROFS"],
  [/not a regular file/, "EINVAL"],
];

/**
 * `follow`: goes from $p through symbolic links to what is not one, as far as the path exists,
 * and leaves the real path in $p. Names may end in a newline, hence the dots.
 */
const FOLLOW = `
follow() {
  rest= n=0
  while :; do
    if [ -L "$p" ]; then
      n=$((n+1)); [ $n -le 40 ] || { echo "Too many levels of symbolic links"; exit 1; }
      l=$(readlink "$p"; echo .); l=\${l%??}
      case $l in /*) p=$l;; *) p=\${p%/*}/$l;; esac
    elif [ -d "$p" ]; then
      d=$(cd -P -- "$p" && pwd -P; echo .); d=\${d%??}; break
    elif [ -e "$p" ]; then
      d=$(cd -P -- "\${p%/*}/" && pwd -P; echo .); d=\${d%??}; rest=/\${p##*/}$rest; break
    else
      rest=/\${p##*/}$rest; p=\${p%/*}; p=\${p:-/}
    fi
  done
  [ "$d" = / ] && d=
  p=$d$rest; p=\${p:-/}
}`;

export function remoteFiles(shell: ScriptRunner): Files {
  return new RemoteFiles(shell);
}

class RemoteFiles implements Files {
  readonly #shell: ScriptRunner;

  constructor(shell: ScriptRunner) {
    this.#shell = shell;
  }

  async realPath(path: string): Promise<string> {
    const real = await this.#text(path, `${FOLLOW}\np=$1; follow; printf %s "$p"`);
    return real;
  }

  async readFile(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    const { start = 0, length, signal } = options;
    const skipped = start % BLOCK;
    const wanted = length === undefined ? Infinity : skipped + length;
    const read = start === 0 && length === undefined
      ? 'cat -- "$1"'
      : `dd bs=${BLOCK} skip=${Math.floor(start / BLOCK)}` +
        (length === undefined ? "" : ` count=${Math.ceil(wanted / BLOCK)}`) +
        ' if="$1" 2>/dev/null';
    const chunks: Uint8Array[] = [];
    await this.#run(path, `${MUST_BE_READABLE}; ${read}`, {
      signal,
      onChunk: (chunk) => chunks.push(chunk.slice()),
    });
    const bytes = await new Blob(chunks as BlobPart[]).bytes();
    return bytes.subarray(skipped, Math.min(wanted, bytes.length));
  }

  async writeFile(path: string, data: Uint8Array, options: WriteOptions = {}): Promise<void> {
    const { parents = true, mode, signal } = options;
    const script = `${FOLLOW}
p=$1; follow; d=\${p%/*}
[ -d "$p" ] && { echo "Is a directory"; exit 1; }
[ -e "$p" ] && [ ! -f "$p" ] && { echo "not a regular file"; exit 1; }
${parents ? 'mkdir -p -- "$d/" || exit 1' : ""}
t=$p.${randomId(8)}.tmp
trap 'rm -f -- "$t"' EXIT
cat >"$t" || exit 1
[ "$(wc -c <"$t")" -eq ${data.length} ] || { echo "Connection lost"; exit 1; }
if [ -e "$p" ]; then
  chmod "$(stat -c %a -- "$p" 2>/dev/null || stat -f %Lp -- "$p")" "$t"
  chown "$(stat -c %u:%g -- "$p" 2>/dev/null || stat -f %u:%g -- "$p")" "$t" 2>/dev/null
${mode === undefined ? "" : `else chmod ${mode.toString(8)} "$t"`}
fi
mv -f -- "$t" "$p"`;
    await this.#run(path, script, { stdin: data, signal });
  }

  async stat(path: string): Promise<FileInfo | undefined> {
    const text = await this.#text(
      path,
      `stat -L -c '%f %s %Y %y' -- "$1" 2>/dev/null && exit
[ -e "$1" ] && { stat -L -f '%Xp %z %m' -- "$1"; exit; }; ls -dL -- "$1"`,
      ["ENOENT", "ENOTDIR", "ELOOP"],
    );
    if (text === undefined) return undefined;
    const [raw = "", size, seconds, , time = ""] = text.trim().split(" ");
    const mode = parseInt(raw, 16);
    const kind = { 0x8000: "file", 0x4000: "directory" }[mode & 0xf000] ?? "other";
    const fraction = Number(`0${/\.\d+/.exec(time)?.[0] ?? ""}`);
    return {
      kind: kind as FileInfo["kind"],
      size: Number(size),
      mtimeMs: Math.floor((Number(seconds) + fraction) * 1000),
      mode: mode & 0o7777,
    };
  }

  async list(path: string): Promise<DirEntry[]> {
    const text = await this.#text(
      path,
      `cd -- "$1" || exit 1; ls -a . >/dev/null || exit 1
for f in .* *; do
  if [ -L "$f" ]; then k=l; elif [ -d "$f" ]; then k=d; elif [ -f "$f" ]; then k=f
  elif [ -e "$f" ]; then k=o; else continue; fi
  printf '%s%s\\0' $k "$f"
done`,
    );
    const kinds = { l: "symlink", d: "directory", f: "file", o: "other" } as const;
    return text.split("\0").filter((entry) => entry !== "").map((entry) => ({
      name: entry.slice(1),
      kind: kinds[entry[0] as keyof typeof kinds],
    })).filter(({ name }) => name !== "." && name !== "..")
      .sort((a, b) => a.name < b.name ? -1 : 1);
  }

  async remove(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    const plain = `if [ -d "$1" ] && [ ! -L "$1" ]; then rmdir -- "$1"; else rm -f -- "$1"; fi`;
    const remove = options.recursive ? 'rm -rf -- "$1"' : plain;
    await this.#run(path, `${MUST_EXIST}; ${remove}`);
  }

  async rename(from: string, to: string): Promise<void> {
    const target = shellQuote(to);
    await this.#run(
      from,
      `${MUST_EXIST}
[ -d ${target} ] && [ ! -L ${target} ] && rmdir -- ${target} 2>/dev/null
[ -d ${target} ] && [ ! -L ${target} ] && { echo "Directory not empty"; exit 1; }
mv -f -- "$1" ${target}`,
    );
  }

  /** Runs a script with the path in $1. @throws FileError when it fails. */
  async #run(path: string, script: string, options: OwnOptions = {}): Promise<void> {
    const { code, tail } = await this.#shell.run(`set -- ${shellQuote(path)}; ${script}`, options);
    if (code !== 0) throw systemFailure(path, tail);
  }

  #text(path: string, script: string): Promise<string>;
  #text(
    path: string,
    script: string,
    missing: readonly FileErrorCode[],
  ): Promise<string | undefined>;
  async #text(path: string, script: string, missing: readonly FileErrorCode[] = []) {
    const decoder = new TextDecoder();
    let text = "";
    try {
      await this.#run(path, script, {
        onChunk: (chunk) => text += decoder.decode(chunk, { stream: true }),
      });
    } catch (error) {
      if (error instanceof FileError && missing.includes(error.code)) return undefined;
      throw error;
    }
    return text;
  }
}

/** `head` says why it cannot read. */
const MUST_BE_READABLE = '[ -d "$1" ] && { echo "Is a directory"; exit 1; }; ' +
  '[ -r "$1" ] || head -c 1 -- "$1" >/dev/null || exit 1';
/** `ls` also finds a link that leads nowhere, and says why it cannot look. */
const MUST_EXIST = '[ -e "$1" ] || ls -d -- "$1" >/dev/null || exit 1';

function systemFailure(path: string, message: string): FileError {
  const found = SYSTEM_WORDS.find(([words]) => words.test(message));
  if (found) return fileFailure(path, found[1]);
  const line = message.trim().split("\n").at(-1) || "input or output failed";
  return new FileError(`${path}: ${line}`, { code: "EIO", path });
}
