/**
 * A repository's settings file as git itself reads it, and which changes of it a command may
 * make: keys that hold data may change, keys that make git run or read something may not. Pure;
 * a text that git would refuse is refused here too, so that nobody reads it in another way.
 */
import { ADDRESS_KEYS, DATA_KEYS, type DataKeys, SUBMODULE_UPDATES } from "./git_settings_data.ts";

export interface GitSetting {
  /** `section.key` or `section.name.key`; section and key are lower-case. */
  key: string;
  /** Undefined for a key without `=`, which is true. */
  value: string | undefined;
  /** Where the key begins and where its last line ends, without the line feed. */
  start: number;
  end: number;
}

export interface SettingRules {
  /** Says whether `core.worktree` may have this value; submodules need it. Default: never. */
  isWorktree?: (value: string) => boolean;
}

/** What to do with a changed settings file. */
export type SettingsVerdict =
  /** Only data changed. */
  | { verdict: "keep" }
  /** `text` has the data of the new file without the settings in `keys`. */
  | { verdict: "mend"; text: string; keys: string[] }
  /** The old file as a whole has to come back. */
  | { verdict: "restore"; keys: string[] };

/** Cursor over the bytes of a settings file; CR LF counts as one line feed, as in git. */
interface Cursor {
  text: string;
  at: number;
}

class Unreadable extends Error {}

/**
 * The settings of a file in their order, or undefined when git would call it broken.
 * `text` holds one character for each byte (latin1).
 */
export function parseGitSettings(text: string): GitSetting[] | undefined {
  if (text.includes("\0")) return undefined;
  const cursor: Cursor = { text, at: text.startsWith("\xef\xbb\xbf") ? 3 : 0 };
  const settings: GitSetting[] = [];
  let section = "";
  try {
    while (cursor.at < text.length) {
      const start = cursor.at;
      const char = next(cursor);
      if (isSpace(char)) continue;
      if (char === "#" || char === ";") skipLine(cursor);
      else if (char === "[") section = readSection(cursor);
      else if (isLetter(char)) {
        cursor.at = start;
        settings.push(readSetting(cursor, section));
      } else throw new Unreadable();
    }
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  return settings;
}

/** The next character; the end of the text is a line feed. */
function next(cursor: Cursor): string {
  const { text } = cursor;
  if (text[cursor.at] === "\r" && text[cursor.at + 1] === "\n") cursor.at++;
  return text[cursor.at++] ?? "\n";
}

function skipLine(cursor: Cursor): void {
  const end = cursor.text.indexOf("\n", cursor.at);
  cursor.at = end < 0 ? cursor.text.length : end + 1;
}

/** Behind `[`: `section]`, `section.name]` or `section "name"]`. */
function readSection(cursor: Cursor): string {
  let name = "";
  while (true) {
    if (cursor.at >= cursor.text.length) throw new Unreadable();
    const char = next(cursor);
    if (char === "]") return name;
    if (isSpace(char)) return `${name}.${readSubsection(cursor, char)}`;
    if (!isKeyChar(char) && char !== ".") throw new Unreadable();
    name += char.toLowerCase();
  }
}

function readSubsection(cursor: Cursor, first: string): string {
  let char = first;
  while (isSpace(char)) {
    if (char === "\n") throw new Unreadable();
    char = next(cursor);
  }
  if (char !== '"') throw new Unreadable();
  let name = "";
  while ((char = next(cursor)) !== '"') {
    if (char === "\\") char = next(cursor);
    if (char === "\n") throw new Unreadable();
    name += char;
  }
  if (next(cursor) !== "]") throw new Unreadable();
  return name;
}

function readSetting(cursor: Cursor, section: string): GitSetting {
  const start = cursor.at;
  let key = "";
  let char = next(cursor);
  for (; isKeyChar(char); char = next(cursor)) key += char.toLowerCase();
  while (char === " " || char === "\t") char = next(cursor);
  if (char !== "\n" && char !== "=") throw new Unreadable();
  const value = char === "=" ? readValue(cursor) : undefined;
  const end = cursor.text[cursor.at - 1] === "\n" ? cursor.at - 1 : cursor.at;
  const name = section === "" ? key : `${section}.${key}`;
  return { key: name, value, start, end: Math.min(end, cursor.text.length) };
}

function readValue(cursor: Cursor): string {
  let value = "";
  let spaces = "";
  let quoted = false;
  while (true) {
    let char = next(cursor);
    if (char === "\n") {
      if (quoted) throw new Unreadable();
      return value;
    }
    if (!quoted && isSpace(char)) {
      if (value !== "") spaces += char;
      continue;
    }
    if (!quoted && (char === "#" || char === ";")) {
      skipLine(cursor);
      return value;
    }
    // Spaces at the end do not count; those before anything else do.
    value += spaces;
    spaces = "";
    if (char === '"') {
      quoted = !quoted;
      continue;
    }
    if (char === "\\") {
      char = next(cursor);
      if (char === "\n") continue;
      const escaped = ESCAPES[char];
      if (escaped === undefined) throw new Unreadable();
      char = escaped;
    }
    value += char;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  t: "\t",
  b: "\b",
  n: "\n",
  "\\": "\\",
  '"': '"',
};

function isSpace(char: string): boolean {
  return char === " " || char === "\t" || char === "\n" || char === "\r";
}

function isLetter(char: string): boolean {
  return /^[A-Za-z]$/.test(char);
}

function isKeyChar(char: string): boolean {
  return /^[A-Za-z0-9-]$/.test(char);
}

/** True when a command may set this: it holds data alone. */
export function isDataSetting(setting: GitSetting, rules: SettingRules = {}): boolean {
  const first = setting.key.indexOf(".");
  if (first < 0) return false;
  const last = setting.key.lastIndexOf(".");
  const section = setting.key.slice(0, first);
  const key = setting.key.slice(last + 1);
  const value = setting.value ?? "";
  const pair = `${section}.${key}`;
  if (setting.key === "core.worktree") return rules.isWorktree?.(value) ?? false;
  const known = Object.hasOwn(DATA_KEYS, section) ? DATA_KEYS[section] : undefined;
  if (!keysOf(known, first !== last).includes(key)) return false;
  if (pair === "submodule.update") return SUBMODULE_UPDATES.has(value);
  // An address cannot make git run a helper program of the command's choice.
  return !ADDRESS_KEYS.has(pair) || !/^[\w+.-]*::/.test(value);
}

function keysOf(keys: DataKeys | undefined, isNamed: boolean): string[] {
  return ((isNamed ? keys?.named : keys?.plain) ?? "").split(" ");
}

/** Judges a settings file that a command changed (`after`) or made (`before` is ""). */
export function judgeSettings(
  before: string,
  after: string,
  rules: SettingRules = {},
): SettingsVerdict {
  const now = parseGitSettings(after);
  if (now === undefined) return { verdict: "restore", keys: ["a text that git cannot read"] };
  const old = (parseGitSettings(before) ?? []).filter((setting) => !isDataSetting(setting, rules));
  const added: GitSetting[] = [];
  let met = 0;
  for (const setting of now) {
    if (isDataSetting(setting, rules)) continue;
    if (met < old.length && isSame(old[met]!, setting)) met++;
    else added.push(setting);
  }
  const keys = [...new Set([...added, ...old.slice(met)].map(({ key }) => key))];
  if (keys.length === 0) return { verdict: "keep" };
  if (met < old.length) return { verdict: "restore", keys };
  const text = cut(after, added);
  return isWithout(text, { now, added })
    ? { verdict: "mend", text, keys }
    : { verdict: "restore", keys };
}

function isSame(a: GitSetting, b: GitSetting): boolean {
  return a.key === b.key && a.value === b.value;
}

/** The text without these settings; their sections stay, as git leaves them. */
function cut(text: string, settings: readonly GitSetting[]): string {
  let result = "";
  let from = 0;
  for (const { start, end } of settings) {
    const line = text.lastIndexOf("\n", start - 1) + 1;
    const isAlone = text.slice(line, start).trim() === "";
    result += text.slice(from, isAlone ? Math.max(line, from) : start);
    from = isAlone && text[end] === "\n" ? end + 1 : end;
  }
  return result + text.slice(from);
}

/** True when `text` has the settings of `now` in their order, but for those that were added. */
function isWithout(
  text: string,
  settings: { now: readonly GitSetting[]; added: readonly GitSetting[] },
): boolean {
  const left = parseGitSettings(text);
  const wanted = settings.now.filter((setting) => !settings.added.includes(setting));
  return left?.length === wanted.length && left.every((one, i) => isSame(one, wanted[i]!));
}
