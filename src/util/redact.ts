/**
 * Removing secrets from text before a model, a log or an event sees it. Works by shape
 * (vendor keys, headers, private keys, URLs) and by value (`createRedactor`). Never a
 * security boundary on its own: what must not leak is not read in the first place.
 */
import {
  HARMLESS_NAMES,
  KEY_PREFIXES,
  SECRET_HEADERS,
  SECRET_PARAMETERS,
  SECRET_WORDS,
  WEAK_ALONE,
} from "./redact_data.ts";

/**
 * `prose`: everything, also `NAME=value` and JSON or YAML fields. `code`: only what is
 * unmistakable, so that source text stays usable. `file`: as `code`, with masks that
 * cannot be written back by accident.
 */
export type RedactMode = "prose" | "code" | "file";

export type Redactor = (text: string, mode?: RedactMode) => string;

/** Shorter values would blank out ordinary words. */
const MIN_KNOWN_CHARS = 8;
const MASK_WHOLE_BELOW = 18;

/** Redacts by shape alone. */
export function redactSecrets(text: string, mode: RedactMode = "prose"): string {
  if (text.length < 8) return text;
  let out = redactPrivateKeys(text);
  out = redactVendorKeys(out, mode);
  if (out.includes("eyJ")) out = out.replace(JWT, (token) => mask(token, mode));
  if (out.includes("://")) out = redactUrls(out, mode);
  if (out.includes(":")) {
    out = out.replace(BOT_TOKEN, "$1:***");
    out = redactHeaders(out, mode);
  }
  if (out.includes("=")) out = redactParameters(out, mode);
  if (mode !== "file" && out.includes("+")) out = out.replace(PHONE, maskPhone);
  return mode === "prose" ? redactFields(out) : out;
}

/** A redactor that also masks these exact values, however they are named. */
export function createRedactor(knownSecrets: Iterable<string>): Redactor {
  const known = new Set<string>();
  for (const secret of knownSecrets) {
    if (secret.length < MIN_KNOWN_CHARS) continue;
    known.add(secret).add(encodeURIComponent(secret)).add(JSON.stringify(secret).slice(1, -1));
  }
  const longestFirst = [...known].sort((a, b) => b.length - a.length);
  return (text, mode) => {
    let out = text;
    for (const secret of longestFirst) {
      if (out.includes(secret)) out = out.replaceAll(secret, "***");
    }
    return redactSecrets(out, mode);
  };
}

/** What may stand inside a token that was coloured or broken up: ANSI codes, control and invisible characters. */
// deno-lint-ignore no-control-regex
const NOISE = /\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2060\ufeff]/;
/** Bounded: an escape may end in the letter that a key begins with, and each would start over. */
const GAP = `(?:${NOISE.source}){0,16}`;
/** Where a token may begin in text that holds JSON escapes: `\\nsk-…` has no word boundary. */
const AFTER_ESCAPE = String.raw`(?:\b|(?<=\\[nrt]))`;
/** The same in coloured text: the `m` that ends an ANSI code is no part of a word. */
const AFTER_NOISE = String.raw`(?:\b|(?<=\\[nrt])|(?<=\x1b\[[0-9;]{0,16}m))`;
/** `npm_config_cache` and `sk-fading-circle` are names, not keys. */
const NAME_LIKE = /^[a-z]+(?:[-_.][a-z]+)+$/;

const VENDOR_KEY = vendorPattern("\\b", "");
const ESCAPED_VENDOR_KEY = vendorPattern(AFTER_ESCAPE, "");
const BROKEN_VENDOR_KEY = vendorPattern(AFTER_NOISE, GAP);
const JWT = /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g;
const BOT_TOKEN = /(?<!\d)(\d{8,12}):[A-Za-z0-9_-]{30,}/g;
const PHONE = /(?<![\w.+-])\+[1-9]\d{9,14}(?![\d.])/g;
const URL_PASSWORD = /:\/\/([^\s:/@"'<>]{0,256}):([^\s@/"'<>]{1,256})@/g;
const URL_TOKEN = /(https?):\/\/([^\s:/@"'<>]{8,256})@/g;
const AUTHORIZATION =
  /\b((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["'`]?)(?:((?:bearer|basic|token|apikey|digest)\s{1,4})([^\s"'`,;]{6,})|([^\s"'`,;]{16,}))/gi;
const HEADER = new RegExp(
  String.raw`\b((?:${SECRET_HEADERS.join("|")})["']?\s{0,4}[:=]\s{0,4}["'\`]?)([^\s"'\`,;]{6,})`,
  "gi",
);
const PARAMETER = new RegExp(
  String.raw`([?&](?:${SECRET_PARAMETERS.join("|")})=)([^&\s"'\`<>#]+)`,
  "gi",
);
const FORM_BODY = /^[\w.%+-]+=[^&\s]*(?:&[\w.%+-]+=[^&\s]*)+$/;
const ASSIGNMENT =
  /\b([A-Za-z][A-Za-z0-9_-]{0,63})(\s?=(?!=)\s?)("[^"\n]{1,4096}"|'[^'\n]{1,4096}'|[^\s"'&;,=)][^\s"'&;,)]*)/g;
const JSON_FIELD = /"([A-Za-z][A-Za-z0-9_-]{0,63})"(\s{0,8}:\s{0,8})"((?:[^"\\]|\\.){1,8192})"/g;
const YAML_FIELD =
  /^([ \t]{0,64}(?:- )?)([A-Za-z][A-Za-z0-9_-]{0,63})(:[ \t]{1,8})([^\s{[|>&*!#].*)$/gm;
const PLACEHOLDER = /^[$<{[%*(]|\$\{|\{\{|^\w+\(/;
const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
/** A whole block's body (armour headers and escaped line ends allowed), or as much base64 as a cut-off one has. */
const KEY_BODY =
  /(?:[A-Za-z0-9+/=\s\\:,]|-(?!----)){0,16384}-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|(?:\s{0,4}[A-Za-z0-9+/=\\]{16,})*/y;

/** Grouped by first letter, which makes the search three times as fast. */
function vendorPattern(start: string, gap: string): RegExp {
  const byLetter = new Map<string, string[]>();
  for (const entry of KEY_PREFIXES) {
    const [prefix, least] = typeof entry === "string" ? [entry, 10] : entry;
    const [first, ...rest] = [...prefix].map((char) => char === "." ? "\\." : char);
    const body = prefix === "SG." ? "[A-Za-z0-9_.-]" : "[A-Za-z0-9_-]";
    const tails = byLetter.get(first!) ?? [];
    tails.push(`${rest.map((char) => gap + char).join("")}(?:${gap}${body}){${least},}`);
    byLetter.set(first!, tails);
  }
  const groups = [...byLetter].map(([letter, tails]) => `${letter}(?:${tails.join("|")})`);
  return new RegExp(`${start}(?:${groups.join("|")})`, "g");
}

function redactVendorKeys(text: string, mode: RedactMode): string {
  const broken = NOISE.test(text);
  const intact = text.includes("\\") ? ESCAPED_VENDOR_KEY : VENDOR_KEY;
  return text.replace(broken ? BROKEN_VENDOR_KEY : intact, (found) => {
    const token = broken ? found.replaceAll(new RegExp(NOISE, "g"), "") : found;
    return NAME_LIKE.test(token) ? found : mask(token, mode);
  });
}

/** Scanned by hand: a lazy pattern over many unclosed headers would take quadratic time. */
function redactPrivateKeys(text: string): string {
  if (!text.includes("PRIVATE KEY-----")) return text;
  let out = "";
  let from = 0;
  for (const begin of text.matchAll(KEY_BEGIN)) {
    if (begin.index < from) continue;
    out += `${text.slice(from, begin.index)}[REDACTED PRIVATE KEY]`;
    KEY_BODY.lastIndex = begin.index + begin[0].length;
    KEY_BODY.test(text);
    from = KEY_BODY.lastIndex;
  }
  return out + text.slice(from);
}

function redactUrls(text: string, mode: RedactMode): string {
  return text.replace(URL_PASSWORD, (whole, user: string, password: string) => {
    return mode !== "prose" && PLACEHOLDER.test(password) ? whole : `://${user}:***@`;
  }).replace(URL_TOKEN, (whole, scheme: string, user: string) => {
    const secret = /\d/.test(user) || user.length >= 20;
    return secret && !PLACEHOLDER.test(user) ? `${scheme}://***@` : whole;
  });
}

function redactHeaders(text: string, mode: RedactMode): string {
  const lower = text.includes("uthorization") || text.includes("UTHORIZATION");
  const out = !lower ? text : text.replace(
    AUTHORIZATION,
    (whole, head: string, scheme: string | undefined, value?: string, bare?: string) => {
      const secret = value ?? bare!;
      return PLACEHOLDER.test(secret) ? whole : `${head}${scheme ?? ""}${mask(secret, mode)}`;
    },
  );
  return out.replace(HEADER, (whole, head: string, value: string) => {
    return PLACEHOLDER.test(value) ? whole : `${head}${mask(value, mode)}`;
  });
}

function redactParameters(text: string, mode: RedactMode): string {
  const out = text.replace(PARAMETER, (whole, head: string, value: string) => {
    return PLACEHOLDER.test(value) ? whole : `${head}${mask(value, mode)}`;
  });
  if (!out.includes("&") || out.includes("\n") || !FORM_BODY.test(out.trim())) return out;
  // A form body: the first parameter has neither `?` nor `&` before it.
  return out.replace(/^(\s*)([\w.%+-]+)=([^&\s]+)/, (whole, space: string, name: string, value) => {
    return SECRET_PARAMETERS.includes(name.toLowerCase())
      ? `${space}${name}=${mask(value, mode)}`
      : whole;
  });
}

function redactFields(text: string): string {
  let out = text;
  if (out.includes("=")) {
    out = out.replace(ASSIGNMENT, (whole, name: string, equals: string, value: string) => {
      if (!isSecretName(name) || PLACEHOLDER.test(value)) return whole;
      const quote = /^["']/.exec(value)?.[0] ?? "";
      const bare = quote === "" ? value : value.slice(1, -1);
      return `${name}${equals}${quote}${mask(bare, "prose")}${quote}`;
    });
  }
  if (!out.includes(":")) return out;
  return out.replace(JSON_FIELD, (whole, name: string, colon: string, value: string) => {
    if (!isSecretName(name) || WEAK_ALONE.has(name.toLowerCase())) return whole;
    return `"${name}"${colon}"${mask(value, "prose")}"`;
  }).replace(YAML_FIELD, (whole, indent: string, name: string, colon: string, value: string) => {
    if (!isSecretName(name) || WEAK_ALONE.has(name.toLowerCase()) || /^["']?\*\*\*/.test(value)) {
      return whole;
    }
    return `${indent}${name}${colon}${mask(value, "prose")}`;
  });
}

/** Variables whose words are not told apart: `GITHUBTOKEN`, `PGPASSWORD`, `GH_PAT`. */
const SECRET_ENDING = /^[A-Z][A-Z0-9_]*(?:APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|_PAT)$/;

/** True when a variable or field of this name holds a secret: one of its words says so. */
export function isSecretName(name: string): boolean {
  if (HARMLESS_NAMES.has(name)) return false;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split(/[_-]+/);
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_ENDING.test(name);
}

/** True when a variable must not be passed on: its name, however it is written, or its value says so. */
export function isSecretVariable(name: string, value: string): boolean {
  return isSecretName(name) || isSecretName(name.toUpperCase()) ||
    redactSecrets(value, "code") !== value;
}

function mask(value: string, mode: RedactMode): string {
  if (isMasked(value)) return value;
  if (mode === "file") return `«redacted:${/^[A-Za-z]{1,6}[-_.]/.exec(value)?.[0] ?? ""}…»`;
  if (value.length < MASK_WHOLE_BELOW) return "***";
  return `${value.slice(0, 6)}...${value.slice(-4)}`;
}

/** Redacting twice must not change anything: events, logs and results pass here again. */
function isMasked(value: string): boolean {
  return value === "***" || /^.{6}\.\.\..{4}$/.test(value) || value.startsWith("«redacted:");
}

function maskPhone(phone: string): string {
  return `${phone.slice(0, 4)}****${phone.slice(-4)}`;
}
