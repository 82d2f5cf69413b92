/** What a command tells other machines: which words are hosts, and whether computed text travels with them. */
import type { Invocation } from "../shell/invocation.ts";
import { basename } from "../../util/path.ts";

/** This machine, however it is called. */
const LOOPBACK =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]{1,60}\.(?:localhost|test))(?::\d{1,5})?(?:[/?#]|$)/i;

export function isLoopback(word: string): boolean {
  return LOOPBACK.test(word);
}

/** Whether every address among the words is this machine, and there is one. */
export function staysHere(words: readonly string[]): boolean {
  const addresses = words.filter((word) => /:\/\/|^[\w.-]+:\d+|^localhost\b|^127\./.test(word));
  return addresses.length > 0 && addresses.every(isLoopback);
}

/** Programs that print stored text rather than what the machine or the project is called. */
const TELLS = new Set(
  ("cat tac nl head tail base64 base32 basenc xxd od hexdump env printenv id whoami hostname gzip zip tar openssl gpg ps " +
    "history set pbpaste xclip xsel wl-paste security pass find ls strings rev sort awk sed grep cut tr jq cmp dd less " +
    "more bat fold paste getent last w who ifconfig ip uname").split(" "),
);
/** Small everyday questions whose answers go into addresses. */
const EVERYDAY = /^(?:uname|awk|sed|cut|tr|grep|jq|head|tail|sort|hostname|ip)$/;
const VERSION_FILE = /^\.?(?:[\w-]{0,40}version[\w.-]{0,40}|nvmrc|node-version|tool-versions)$/i;

/** Whether a command prints what a file or the machine holds; `$(< f)` has no program at all. */
function tells({ program, args, redirects }: Invocation): boolean {
  const files = [...args, ...redirects.filter(({ op }) => op === "<").map(({ target }) => target)];
  if (files.some((file) => VERSION_FILE.test(basename(file)))) return false;
  if (program === "") return files.length > 0;
  return TELLS.has(program) && !EVERYDAY.test(program);
}

/** Whether a substitution inside the command prints stored data: `$(cat notes | base64)`. */
export function tellsData({ inner }: Invocation): boolean {
  return inner.some(tells);
}

/** Whether a part of an address is computed, while the same script reads data out of somewhere. */
export function tellsThroughAddress({ args }: Invocation, all: readonly Invocation[]): boolean {
  const computed = args.some((arg) =>
    /^https?:\/\/[^\0{]/i.test(arg) && /\0|\{\}/.test(arg) && !isLoopback(arg)
  );
  return computed && all.some((other) => other.args.length > 0 && tells(other));
}

/** Whether data reaches the command's standard input, more than a few literal words. */
export function isFed({ upstream, redirects }: Invocation): boolean {
  const piped = upstream.some(({ program, args, redirects: more }) =>
    !/^(?:echo|printf|true|:|yes|sleep|)$/.test(program) || args.some((arg) =>
      arg.includes("\0")
    ) ||
    more.some(({ op }) => op === "<")
  );
  return piped ||
    redirects.some(({ op, target }) => op === "<" && !/^\/dev\/null$/.test(target));
}
