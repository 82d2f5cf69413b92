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
import { type Range, SecretSearch } from "./known_secrets_search.ts";
import { findBareKeyLines, findPrivateKeys } from "./redact_private_keys.ts";

/**
 * `prose`: everything, also `NAME=value` and JSON or YAML fields. `code`: only what is
 * unmistakable, so that source text stays usable. `file`: as `code`, with masks that
 * cannot be written back by accident.
 */
export type RedactMode = "prose" | "code" | "file";

export type Redactor = (text: string, mode?: RedactMode) => string;

const MASK_WHOLE_BELOW = 18;

/** Redacts by shape alone. */
export function redactSecrets(text: string, mode: RedactMode = "prose"): string {
  if (text.length < 8) return text;
  let out = redactPrivateKeys(text, mode);
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

/** A redactor that also masks these exact values, however they are named or encoded. */
export function createRedactor(knownSecrets: Iterable<string>): Redactor {
  const search = new SecretSearch(knownSecrets);
  return (text, mode) => {
    return redactSecrets(hideRanges(text, search.find(text), KNOWN_MASK), mode);
  };
}

const KNOWN_MASK = { mask: "***", keepLines: true };

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
const JWT =
  /(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g;
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

const KEY_MASK = "[REDACTED PRIVATE KEY]";

function redactPrivateKeys(text: string, mode: RedactMode): string {
  const whole = hideRanges(text, findPrivateKeys(text), {
    mask: KEY_MASK,
    keepLines: mode === "file",
  });
  // A file is read from its start, so that its keys are known by their first line.
  if (mode === "file") return whole;
  return hideRanges(whole, findBareKeyLines(whole), { mask: KEY_MASK, keepLines: false });
}

/** `keepLines`: every line of a range stays a line, so that lines can still be counted. */
function hideRanges(
  text: string,
  ranges: readonly Range[],
  { mask, keepLines }: { mask: string; keepLines: boolean },
): string {
  if (ranges.length === 0) return text;
  let out = "";
  let from = 0;
  for (const { start, end } of ranges) {
    const lines = keepLines ? text.slice(start, end).split("\n").length : 1;
    out += text.slice(from, start) + Array(lines).fill(mask).join("\n");
    from = end;
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

/** Commit ids, digests and UUIDs are random and no secrets. */
const PUBLIC_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** True for a word that a person would not type: long, with letters and many digits or mixed case. */
export function looksRandom(word: string): boolean {
  if (word.length < 16 || word.length > 4096 || !/^[\w+=.~-]+$/.test(word)) return false;
  if (PUBLIC_ID.test(word)) return false;
  const digits = word.replace(/\D+/g, "").length;
  if (digits === 0 || digits === word.length) return false;
  // Changes between kinds of characters: `v1.2.3-linux` has few for its length, a key has many.
  const kinds = word.replace(/[a-z]+/g, "a").replace(/[A-Z]+/g, "A").replace(/\d+/g, "1");
  return kinds.replace(/[^aA1]+/g, "").length * 3 >= word.length;
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
