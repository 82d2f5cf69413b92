/**
 * Which key goes to which address. A vendor's key is sent to that vendor's own origin only;
 * another address gets only a key that was tied to it.
 */
import { UsageError } from "../protocol/error.ts";
import type { CatalogEntry } from "./catalog_data.ts";

export type Env = (name: string) => string | undefined;

export interface ApiKey {
  value: string;
  /** Where it comes from, for error lines. */
  name: string;
}

/** A key that settings tie to an address. */
export interface BoundKey {
  baseUrl: string;
  apiKey?: string | undefined;
  keyEnv?: string | undefined;
}

export interface KeyQuery {
  entry: CatalogEntry;
  /** Where the request will go. */
  baseUrl: string;
  /** The person named that address: `HERMES_API_KEY` is meant for it. */
  supplied: boolean;
  bound?: BoundKey | undefined;
  env: Env;
}

/** The key for a request, or undefined when none may be sent. */
export function findKey(query: KeyQuery): ApiKey | undefined {
  const { entry, baseUrl, bound, env } = query;
  if (bound !== undefined && sameOrigin(bound.baseUrl, baseUrl)) {
    const key = bound.apiKey
      ? checked(bound.apiKey, "api_key of config.yaml")
      : bound.keyEnv && firstSet([bound.keyEnv], env);
    if (key) return key;
  }
  const moved = entry.urlEnv === undefined ? undefined : env(entry.urlEnv);
  const own = sameOrigin(entry.baseUrl, baseUrl) ||
    (moved !== undefined && sameOrigin(moved, baseUrl));
  const key = own ? firstSet(entry.keyEnv, env) : undefined;
  return key ?? (query.supplied ? firstSet(["HERMES_API_KEY"], env) : undefined);
}

/**
 * What to check when a server refuses a request that carried no key: the variable whose key would
 * have been sent, and the one that is set and was held back because it belongs to another host.
 */
export function keyAdvice(query: Pick<KeyQuery, "entry" | "baseUrl" | "env">): string {
  const { entry, baseUrl, env } = query;
  if (entry.keyEnv.length > 0 && sameOrigin(entry.baseUrl, baseUrl)) return entry.keyEnv[0]!;
  const held = [...entry.keyEnv, "OPENAI_API_KEY"].find((name) => env(name)?.trim());
  if (held === undefined) return "HERMES_API_KEY";
  return `HERMES_API_KEY: ${held} was not sent to another host than its vendor's; ` +
    `to send it, set HERMES_API_KEY="$${held}"`;
}

/** True when both are URLs of one scheme, host and port. */
export function sameOrigin(a: string, b: string): boolean {
  const left = URL.parse(a);
  const right = URL.parse(b);
  return left !== null && right !== null && left.origin === right.origin;
}

/** True for this machine. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The first of some variables that holds a key. */
export function firstSet(names: readonly string[], env: Env): ApiKey | undefined {
  for (const name of names) {
    const value = env(name)?.trim();
    if (value) return checked(value, name);
  }
  return undefined;
}

function checked(value: string, name: string): ApiKey {
  if (!/^[\x21-\x7e]+$/.test(value.trim())) {
    throw new UsageError(`${name} holds characters that no API key has: set it again`);
  }
  return { value: value.trim(), name };
}
