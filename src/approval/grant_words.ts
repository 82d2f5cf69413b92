/** The text of a grant, for the question and for `hermes approvals list`. */
import type { GrantOffer } from "../protocol/grant.ts";

export interface WordsOptions {
  /** Says what the rule of a grant is about, where that is known. */
  describeRule?: (rule: string) => string | undefined;
  /** The command is shown beside these words. */
  isShown?: boolean;
  /** The command holds a secret and is not repeated. */
  isSecret?: boolean;
}

/** Longer commands are shown above the choices, in full. */
const MAX_INLINE_CHARS = 60;

/** `exactly \`rm -rf build\` in /srv/app`. */
export function grantWords(grant: GrantOffer, options: WordsOptions = {}): string {
  const words = `${whatWords(grant, options)} ${placeWords(grant)}`;
  return grant.kind === "shape" ? `${words}, where * is any name or path inside it` : words;
}

function whatWords({ kind, value }: GrantOffer, options: WordsOptions): string {
  switch (kind) {
    case "command":
      return `exactly ${quoted(value, options, "this command")}`;
    case "action":
      return `exactly ${quoted(value, options, "this action")}`;
    case "outside":
      return `exactly ${quoted(value, options, "this command")}, outside the sandbox,`;
    case "shape":
      return `\`${value}\``;
    case "rule":
      return `every command and action of the rule ${ruleWords(value, options)}`;
    case "path-write":
      return `writing to ${value} and everything in it, by commands`;
    case "path-read":
      return `reading ${value} and everything in it, by commands`;
    case "host":
      return `connections of commands to the host ${value}`;
  }
}

function quoted(
  value: string,
  { isShown, isSecret }: WordsOptions,
  otherwise: string,
): string {
  const isLong = value.length > MAX_INLINE_CHARS || value.includes("\n") || value.includes("`");
  if (isSecret === true || (isShown === true && isLong)) return otherwise;
  return value.includes("\n") || value.includes("`") ? JSON.stringify(value) : `\`${value}\``;
}

/** `"recursive delete" (deletes whole directories)`. */
export function ruleWords(rule: string, { describeRule }: WordsOptions): string {
  const description = describeRule?.(rule);
  return description === undefined || description === rule
    ? `"${rule}"`
    : `"${rule}" (${description})`;
}

/** The place a grant holds in; a grant of the session says that it ends. */
function placeWords({ scope, project, cwd }: GrantOffer): string {
  const until = scope === "session" ? " until this session ends" : "";
  return `in ${cwd ?? project}${until}`;
}
