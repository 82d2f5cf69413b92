/** What a session may be called: one short line that a terminal shows as it is. */
import { UsageError } from "../protocol/error.ts";

const MAX_TITLE_CHARS = 100;
/** Control, zero-width, direction and other invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * The title without invisible characters and doubled spaces.
 * @throws {UsageError} when nothing is left or it is too long.
 */
export function cleanTitle(title: string): string {
  const clean = title.replaceAll(/\s+/gu, " ").replaceAll(INVISIBLE, "").trim();
  if (clean === "") throw new UsageError("the title is empty", { hint: "Give it some text." });
  const length = [...clean].length;
  if (length > MAX_TITLE_CHARS) {
    throw new UsageError(`the title has ${length} characters, at most ${MAX_TITLE_CHARS} fit`);
  }
  return clean;
}
