/** What a session may be called: one short line that a terminal shows as it is. */
import { UsageError } from "../protocol/error.ts";

const MAX_TITLE_CHARS = 100;
/** Control, zero-width, direction and other invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** The beginning of any text as a title; undefined when nothing of it can be seen. */
export function shortTitle(text: string): string | undefined {
  const characters = [...visible(text.slice(0, MAX_TITLE_CHARS * 8))];
  if (characters.length <= MAX_TITLE_CHARS) return characters.join("") || undefined;
  return `${characters.slice(0, MAX_TITLE_CHARS - 1).join("").trimEnd()}…`;
}

/**
 * The title without invisible characters and doubled spaces.
 * @throws {UsageError} when nothing is left or it is too long.
 */
export function cleanTitle(title: string): string {
  const clean = visible(title);
  if (clean === "") throw new UsageError("the title is empty", { hint: "Give it some text." });
  const length = [...clean].length;
  if (length > MAX_TITLE_CHARS) {
    throw new UsageError(`the title has ${length} characters, at most ${MAX_TITLE_CHARS} fit`);
  }
  return clean;
}

function visible(text: string): string {
  return text.replaceAll(/\s+/gu, " ").replaceAll(INVISIBLE, "").trim();
}
