/**
 * Text on the disk that a command runs: shell files, recipes of make, scripts of a package. The
 * walker follows it like text of the command itself. Files of other languages are not read here.
 */
import { realPathOf, textOnDisk } from "./real_paths.ts";
import type { Invocation } from "./invocation.ts";
import { isShell } from "./invocation.ts";
import type { Place } from "./paths.ts";
import { protectionAt } from "../rules/protection.ts";
import { projectScripts } from "./package_scripts.ts";
import { FROM_FILE, type Payload, REMOTE } from "./payload.ts";
import { programFiles, runsInput } from "./program_files.ts";
import { SYSTEM_PROGRAM } from "./program_files_data.ts";
import { ShellLimitError } from "./shell_ast.ts";
import type { ShellState } from "./shell_state.ts";

/** Longer files are not followed; a search for names of protected places still reads them. */
export const MAX_SCRIPT_CHARS = 128_000;
/** Files followed in one decision, and commands found in them. */
const MAX_FILES = 64;
const MAX_COMMANDS = 5_000;

/** Constructs that run a whole text which could not be read. */
const LARGE = "large script";
const WHOLE_TEXTS = new Set(["eval", "source", "make", LARGE]);

/** A shell's text: without a first line that names another language. */
export function isShellText(text: string): boolean {
  if (!text.startsWith("#!")) return true;
  const end = text.indexOf("\n");
  return /\b(?:ba|da|z|k|mk|a)?sh\b/.test(text.slice(0, Math.min(end < 0 ? 200 : end, 200)));
}

/** Programs of the system, and files that only change after an approval: `~/.bashrc`. */
export function isKept(path: string, place: Place): boolean {
  return SYSTEM_PROGRAM.test(path) || (protectionAt(path, place)?.write ?? "free") !== "free";
}

/** What the command runs from the disk, but for files whose text these commands wrote. */
export function textsOnDisk(
  invocation: Invocation,
  fileText: (path: string) => string | undefined,
  state: ShellState,
): Payload[] {
  const { place, via, args, program } = invocation;
  if (place.disk === undefined || via.includes(REMOTE)) return [];
  const path = state.programDirectories(invocation.env);
  const files = programFiles(invocation).filter((file) => file.isShell).map((file) => file.path);
  const named = [...files, ...poured(invocation)];
  const found = invocation.path.includes("/") || program === ""
    ? []
    : path.map((directory) => `${directory}/${invocation.path}`);
  const payloads = projectScripts(invocation, (name) => state.literal(name));
  for (const name of [...named, ...found]) {
    if (fileText(name) !== undefined || isKept(name, place)) continue;
    const text = textOnDisk(name, place);
    if (text === undefined || text.length > MAX_SCRIPT_CHARS || !isShellText(text)) continue;
    const file = realPathOf(name, place)!;
    const isSourced = program === "source" || program === ".";
    const rest = name === invocation.path || found.includes(name) ? args : args.slice(1);
    const positional = isShell(invocation) ? args.slice(args.indexOf(name)) : [name, ...rest];
    payloads.push({
      text,
      via: FROM_FILE,
      file,
      ...isSourced && rest.length === 0 ? {} : { positional },
      ...isSourced ? { here: true as const } : {},
    });
  }
  return payloads;
}

/** `cat FILE | sh` */
function poured(invocation: Invocation): string[] {
  const [only, ...more] = invocation.upstream;
  if (only?.program !== "cat" || more.length > 0 || invocation.stdin !== undefined) return [];
  return isShell(invocation) && runsInput(invocation)
    ? only.args.filter((arg) => arg[0] !== "-")
    : [];
}

/** Which files of the disk are being followed, so that a file which runs itself ends. */
export class FollowedFiles {
  readonly #open = new Set<string>();
  #count = 0;
  #commands = 0;

  /** Counts a command; @throws {ShellLimitError} when files hold too many. */
  spend(): void {
    if (this.#open.size > 0 && ++this.#commands > MAX_COMMANDS) {
      throw new ShellLimitError("too many commands in files");
    }
  }

  /**
   * Follows a file, or calls `undo` when it cannot be followed to its end. Values that only
   * running would tell are everywhere in files: of what they leave `unjudged`, only whole texts count.
   */
  follow(
    file: string,
    { run, undo, unjudged }: { run: () => void; undo: () => void; unjudged: Set<string> },
  ): void {
    if (this.#open.has(file)) return;
    if (++this.#count > MAX_FILES || this.#commands > MAX_COMMANDS) {
      unjudged.add(LARGE);
      return;
    }
    this.#open.add(file);
    const before = new Set(unjudged);
    try {
      run();
      for (const construct of unjudged) {
        if (!before.has(construct) && !WHOLE_TEXTS.has(construct)) unjudged.delete(construct);
      }
    } catch (error) {
      if (!(error instanceof ShellLimitError)) throw error;
      unjudged.add(LARGE);
      undo();
    } finally {
      this.#open.delete(file);
    }
  }
}
