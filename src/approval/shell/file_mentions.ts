/**
 * Files of other languages that a command runs cannot be judged. What can be seen is whether the
 * text of such a file names what hermes trusts or a place of secrets.
 */
import { isKept, isShellText, MAX_SCRIPT_CHARS } from "./disk_scripts.ts";
import { textOnDisk } from "./real_paths.ts";
import type { Invocation } from "./invocation.ts";
import { all, type Touch } from "./mentions.ts";
import { placesOf } from "./paths.ts";
import { programFiles } from "./program_files.ts";
import { isRemote } from "../rules/rule.ts";

/** The hermes home, joined from parts or not, its key and the variable that moves it. */
const TRUSTED_MENTIONS =
  /\.hermes(?:["'`/\\]|$)|\bHERMES_(?:HOME|BIN_CACHE)\b|\bhermes-env-|\bseal\.key\b/m;

/** Keys and tokens that lie in every home, and hashes of passwords. */
const SECRET_MENTIONS =
  /\.ssh(?:["'`]|\/(?:id_|identity|["'`*]))|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws\/credentials|\.(?:netrc|pgpass|git-credentials|vault-token|password-store)\b|\.gnupg\b|\.kube\/config|\.docker\/config\.json|\.config\/(?:gh|gcloud)\b|\/etc\/g?shadow\b/;

/** Recipes and scripts in them were followed where they run. */
const FOLLOWED = /(?:^|\/)(?:package\.json|(?:GNU)?[Mm]akefile)$/;

/** Touches of protected places that the text of a file which runs mentions. */
export function mentionedInFiles(command: Invocation): Touch[] {
  const { place } = command;
  if (place.disk === undefined || isRemote(command)) return [];
  const touches: Touch[] = [];
  for (const { path, isShell } of programFiles(command)) {
    if (isKept(path, place) || FOLLOWED.test(path)) continue;
    const text = textOnDisk(path, place);
    // Shell text of ordinary length was followed.
    if (text === undefined) continue;
    if (isShell && text.length <= MAX_SCRIPT_CHARS && isShellText(text)) continue;
    const { hermesHomes, trustedBase } = placesOf(place);
    const isTrusted = TRUSTED_MENTIONS.test(text) ||
      [...hermesHomes, ...trustedBase].some((root) => text.includes(root));
    if (isTrusted) touches.push(...all("write", hermesHomes.slice(0, 1)));
    if (SECRET_MENTIONS.test(text)) {
      touches.push(...all("read", ["~/.ssh/id_rsa"]));
    }
  }
  return touches;
}
