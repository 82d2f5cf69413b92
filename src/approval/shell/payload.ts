/** What one command makes run in turn, as the walker follows it. */

/** What every command to look at may carry. */
export interface Common {
  /** Who runs it: `sudo`, `xargs`, `ssh`. */
  via: string;
  /** Where it runs, when the command says so: `env -C DIR`. */
  cwd?: string;
  /** The payload runs in the shell at hand, and may change what later words mean. */
  here?: true;
  /** Variables that it is given. */
  variables?: readonly (readonly [name: string, value: string])[];
}

/**
 * A command to look at: ready arguments, text for a shell (which may have used up its input, or
 * which only `expands`, like a prompt), or the name of a construct that runs unreadable text.
 */
export type Payload = (Common & { argv: string[] }) | TextPayload | { unjudged: string };

export interface TextPayload extends Common {
  text: string;
  positional?: string[];
  fromInput?: boolean;
  expands?: true;
  /** Who runs it writes its input. */
  fed?: true;
  /** The file on the disk that the text was read from. */
  file?: string;
}

/** Text for a shell with words behind it that are arguments, whatever is in them. */
export function withWords(text: string, words: readonly string[]) {
  const variables = words.map((word, i) => [`__hermes_word_${i}`, word] as const);
  const names = variables.map(([name]) => `"$${name}"`);
  return { text: [text, ...names].join(" "), variables };
}

/** Label of payloads that run elsewhere; rules about scripts on this host skip them. */
export const REMOTE = "remote";

/** Labels of payloads whose text was read from a file of the disk. */
export const FROM_FILE = "file";
export const FROM_PROJECT = "project script";

/** Whether a command stands in a file of the disk, where unknown values are no reason to ask. */
export function isFromFile({ via }: { via: readonly string[] }): boolean {
  return via.includes(FROM_FILE) || via.includes(FROM_PROJECT);
}
