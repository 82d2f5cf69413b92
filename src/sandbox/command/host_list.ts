/**
 * The hosts that `--network HOST,…` names: reading the list and deciding whether it holds a host
 * and port. Everything is compared in one canonical spelling; nothing here asks a name server.
 */
import { UsageError } from "../../protocol/error.ts";
import { formatIp, parseIp } from "./ip_address.ts";

/** A host in its canonical spelling: lower case, punycode, no final dot, no brackets. */
export interface Host {
  readonly kind: "name" | "address";
  readonly text: string;
}

/** A host and the port that a client wants to reach there. */
export interface HostPort {
  readonly host: Host;
  readonly port: number;
}

export interface HostRule {
  /** The rule as a person would write it: `*.example.com:8443`. */
  readonly text: string;
  /** `below` holds for every name below `host`, not for `host` itself. */
  readonly kind: "name" | "below" | "address";
  readonly host: string;
  /** One port, `web` for 80 and 443, or `any` (written `:*`). */
  readonly ports: number | "web" | "any";
}

/** Ports of a rule that names none. */
export const WEB_PORTS: readonly number[] = [80, 443];

const MAX_RULES = 1000;
/** Values of `--network` that are no hosts. */
const MODES: ReadonlySet<string> = new Set(["on", "off", "loopback"]);

/** Reads `a.com,*.b.org:8443,[2001:db8::1]:*`; throws a `UsageError` that names the wrong part. */
export function parseHostList(text: string): HostRule[] {
  const rules = new Map<string, HostRule>();
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const rule = parseHostRule(part);
    rules.set(rule.text, rule);
    if (rules.size > MAX_RULES) throw wrong(text, `more than ${MAX_RULES} hosts`);
  }
  if (rules.size === 0) throw new UsageError("--network names no host");
  return [...rules.values()];
}

/** Reads one rule of the list. */
export function parseHostRule(text: string): HostRule {
  const rule = text.trim();
  if (MODES.has(rule.toLowerCase())) throw wrong(rule, "stands alone, not among hosts");
  if (rule.includes("://")) throw wrong(rule, "is an address of a page: write its host alone");
  if (rule === "*") throw wrong(rule, "is every host: write --network on");
  const below = rule.startsWith("*.");
  const parts = splitPort(below ? rule.slice(2) : rule);
  if (typeof parts === "string") throw wrong(rule, parts);
  const ports = readPorts(parts.port);
  if (ports === undefined) throw wrong(rule, "has a port that is not 1 to 65535 or *");
  const host = readHost(parts.host);
  if (typeof host === "string") throw wrong(rule, host);
  if (below && host.kind === "address") throw wrong(rule, "has a * before an address");
  if (below && !host.text.includes(".")) {
    throw wrong(rule, "is wider than one domain: write at least *.NAME.TLD");
  }
  const shown = host.text.includes(":") ? `[${host.text}]` : host.text;
  const suffix = ports === "web" ? "" : ports === "any" ? ":*" : `:${ports}`;
  return {
    text: `${below ? "*." : ""}${shown}${suffix}`,
    kind: below ? "below" : host.kind,
    host: host.text,
    ports,
  };
}

function wrong(part: string, problem: string): UsageError {
  const shown = JSON.stringify(part.length > 100 ? `${part.slice(0, 100)}…` : part);
  return new UsageError(`--network: ${shown} ${problem}`, {
    hint: "a host is example.com, *.example.com, example.com:8443, 203.0.113.7 or [2001:db8::1]",
  });
}

/** The rule that allows a host and port, if there is one. */
export function ruleFor(rules: Iterable<HostRule>, target: HostPort): HostRule | undefined {
  for (const rule of rules) {
    if (allowsHost(rule, target.host) && allowsPort(rule, target.port)) return rule;
  }
  return undefined;
}

/** True when a rule names this host, at whatever port. */
export function allowsHost(rule: HostRule, host: Host): boolean {
  if (rule.kind === "below") return host.kind === "name" && host.text.endsWith(`.${rule.host}`);
  return rule.kind === host.kind && rule.host === host.text;
}

function allowsPort(rule: HostRule, port: number): boolean {
  if (rule.ports === "any") return true;
  return rule.ports === "web" ? WEB_PORTS.includes(port) : rule.ports === port;
}

/** The rule that would allow exactly this host and port, as a person would write it. */
export function ruleText({ host, port }: HostPort): string {
  const shown = host.text.includes(":") ? `[${host.text}]` : host.text;
  return WEB_PORTS.includes(port) ? shown : `${shown}:${port}`;
}

/** `host:port` with brackets around IPv6. */
export function formatHostPort({ host, port }: HostPort): string {
  return `${host.text.includes(":") ? `[${host.text}]` : host.text}:${port}`;
}

/**
 * Reads the authority of a request (`example.com:443`, `[::1]`): the host and port, or what is
 * wrong with it. Without `defaultPort` the port must be there. User information is refused.
 */
export function parseAuthority(text: string, defaultPort?: number): HostPort | string {
  if (text.includes(":") && !text.startsWith("[") && text.split(":").length > 2) {
    return "has an IPv6 address without brackets";
  }
  const parts = splitPort(text);
  if (typeof parts === "string") return parts;
  const port = parts.port === undefined ? defaultPort : readPort(parts.port);
  if (port === undefined) return "has no valid port";
  const host = readHost(parts.host);
  return typeof host === "string" ? host : { host, port };
}

/** Separates a port. Text with several colons and no brackets is an IPv6 address without one. */
function splitPort(text: string): { host: string; port?: string } | string {
  if (text.startsWith("[")) {
    const end = text.indexOf("]");
    const rest = text.slice(end + 1);
    const host = text.slice(0, end + 1);
    if (end < 0 || !host.includes(":")) return "has brackets around something else than IPv6";
    if (rest === "") return { host };
    return rest.startsWith(":") ? { host, port: rest.slice(1) } : "has text behind its bracket";
  }
  const first = text.indexOf(":");
  if (first < 0 || text.includes(":", first + 1)) return { host: text };
  return { host: text.slice(0, first), port: text.slice(first + 1) };
}

function readPorts(text: string | undefined): HostRule["ports"] | undefined {
  if (text === undefined) return "web";
  return text === "*" ? "any" : readPort(text);
}

function readPort(text: string): number | undefined {
  const port = Number(text);
  return /^[0-9]{1,5}$/.test(text) && port >= 1 && port <= 65535 ? port : undefined;
}

/** A host name or address in its canonical spelling, or what is wrong with it. */
export function readHost(text: string): Host | string {
  if (text === "") return "has no host";
  if (text.includes("@")) return "has a user name";
  if (text.includes("%")) return "has a zone or an escape";
  if (text.startsWith("[") || text.includes(":")) {
    const bytes = parseIp(text.startsWith("[") ? text.slice(1, -1) : text);
    return bytes === undefined
      ? "is not an IPv6 address"
      : { kind: "address", text: formatIp(bytes) };
  }
  const name = asciiName(text);
  if (name === undefined) return "is not a host name";
  // `URL` reads 127.1, 0x7f.1 and 2130706433 as 127.0.0.1; what it changed is refused.
  if (parseIp(name) !== undefined) {
    return name === text ? { kind: "address", text } : `is not how ${name} is written`;
  }
  return isName(name) ? { kind: "name", text: name } : "is not a host name";
}

/** Punycode and lower case, without the final dot; an IPv4 address in any spelling is decimal. */
function asciiName(text: string): string | undefined {
  // deno-lint-ignore no-control-regex -- control characters are what is looked for
  if (text.length > 1000 || /[\u0000-\u0020\u007f/\\?#<>^|`{}"[\]]/.test(text)) return undefined;
  try {
    const name = new URL(`http://${text}/`).hostname;
    return name.endsWith(".") ? name.slice(0, -1) : name;
  } catch {
    return undefined;
  }
}

function isName(name: string): boolean {
  return name.length <= 253 &&
    name.split(".").every((label) =>
      label.length <= 63 && /^[a-z0-9_-]+$/.test(label) && !label.startsWith("-")
    );
}
