/**
 * The head of an HTTP/1 request to the forward proxy: strict reading, how long the body is, and the
 * head that goes on to the server. Whatever two readers could understand differently is refused.
 */
import { formatHostPort, type HostPort, parseAuthority } from "./host_list.ts";

export interface HeaderField {
  readonly name: string;
  /** `name` in lower case. */
  readonly key: string;
  readonly value: string;
}

/** Bytes of a body: a length, or chunks until the last one. */
export type BodyFraming = number | "chunked";

export interface ProxyRequest {
  readonly kind: "connect" | "plain";
  readonly method: string;
  readonly target: HostPort;
  /** Path and query of a plain request. */
  readonly path: string;
  readonly version: "1.0" | "1.1";
  readonly fields: readonly HeaderField[];
  readonly body: BodyFraming;
}

/** A request that is answered with an error and not passed on. */
export class BadRequest extends Error {
  override name = "BadRequest";
  readonly status: number;
  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

const MAX_FIELDS = 128;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Fields that concern one connection alone (RFC 9110, 7.6.1), and those that our head replaces. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  "host",
  "content-length",
  "transfer-encoding",
]);

/** Reads the bytes of a head without its final empty line; throws `BadRequest`. */
export function parseProxyRequest(head: Uint8Array): ProxyRequest {
  const lines = headLines(head);
  const [method = "", uri = "", protocol = "", ...more] = lines[0]!.split(" ");
  const version = /^HTTP\/(1\.[01])$/.exec(protocol)?.[1] as "1.0" | "1.1" | undefined;
  if (more.length > 0 || method.length > 32 || !TOKEN.test(method) || !/^[!-~]+$/.test(uri)) {
    throw new BadRequest("the request line is malformed");
  }
  if (version === undefined) throw new BadRequest("only HTTP/1.1 and 1.0 are spoken here", 505);
  const fields = lines.slice(1).map(parseField);
  if (fields.length > MAX_FIELDS) throw new BadRequest("too many header fields", 431);
  const body = bodyFraming(fields, version);
  if (method !== "CONNECT") {
    const { target, path } = plainTarget(method, uri);
    checkHost(fields, target);
    return { kind: "plain", method, target, path, version, fields, body };
  }
  const target = parseAuthority(uri);
  if (typeof target === "string") throw new BadRequest(`the target of CONNECT ${target}`);
  if (body !== 0) throw new BadRequest("CONNECT has no body");
  return { kind: "connect", method, target, path: "", version, fields, body };
}

/** Lines that end in CR LF; any other control character but a tab is refused. */
function headLines(head: Uint8Array): string[] {
  let text = "";
  for (const byte of head) text += String.fromCharCode(byte);
  const lines = text.split("\r\n");
  for (const line of lines) {
    // deno-lint-ignore no-control-regex -- control characters are what is looked for
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(line)) {
      throw new BadRequest("the head has a bare line end or another control character");
    }
  }
  return lines;
}

function parseField(line: string): HeaderField {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  // A line that begins with a space continues the one before it: refused, as is "Name :".
  if (!TOKEN.test(name)) throw new BadRequest("a header field is malformed");
  return { name, key: name.toLowerCase(), value: line.slice(colon + 1).trim() };
}

function valuesOf(fields: readonly HeaderField[], key: string): string[] {
  return fields.filter((field) => field.key === key).map((field) => field.value);
}

/** The one value of a field, or `undefined` when it is absent; throws when there are several. */
export function singleValue(fields: readonly HeaderField[], key: string): string | undefined {
  const values = valuesOf(fields, key);
  if (values.length > 1) throw new BadRequest(`the field ${key} is there more than once`);
  return values[0];
}

function bodyFraming(fields: readonly HeaderField[], version: string): BodyFraming {
  const coding = singleValue(fields, "transfer-encoding");
  const length = singleValue(fields, "content-length");
  if (coding !== undefined) {
    if (length !== undefined) throw new BadRequest("the body has two lengths");
    if (version === "1.0") throw new BadRequest("HTTP/1.0 has no transfer codings");
    if (coding.toLowerCase() !== "chunked") throw new BadRequest("unknown transfer coding", 501);
    return "chunked";
  }
  if (length === undefined) return 0;
  if (!/^[0-9]{1,15}$/.test(length)) throw new BadRequest("the length of the body is malformed");
  return Number(length);
}

/** The host and path of `http://HOST/PATH`; other schemes and a path alone are refused. */
function plainTarget(method: string, uri: string): { target: HostPort; path: string } {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\//.exec(uri)?.[0].toLowerCase();
  if (scheme === undefined) throw new BadRequest("this is a forward proxy: send a whole URL");
  if (scheme !== "http://") throw new BadRequest(`${scheme} goes through CONNECT`);
  const rest = uri.slice(scheme.length);
  if (/[#\\]/.test(rest)) throw new BadRequest("the URL has a fragment or a backslash");
  const end = rest.search(/[/?]/);
  const target = parseAuthority(end < 0 ? rest : rest.slice(0, end), 80);
  if (typeof target === "string") throw new BadRequest(`the host of the URL ${target}`);
  const path = end < 0 ? "" : rest.slice(end);
  if (path.startsWith("/")) return { target, path };
  return { target, path: path === "" && method === "OPTIONS" ? "*" : `/${path}` };
}

/** A `Host` that names another server than the URL would choose another site at the server. */
function checkHost(fields: readonly HeaderField[], target: HostPort): void {
  const value = singleValue(fields, "host");
  if (value === undefined) return;
  const host = parseAuthority(value, 80);
  if (typeof host === "string" || formatHostPort(host) !== formatHostPort(target)) {
    throw new BadRequest("the field Host and the URL name different servers");
  }
}

/**
 * The head of a plain request for its server: the path alone, no fields of this connection, and
 * `Connection: close`, because one connection carries one request.
 */
export function forwardedHead(request: ProxyRequest): Uint8Array {
  const { method, path, target, version, fields, body } = request;
  const named = new Set(
    valuesOf(fields, "connection").flatMap((value) =>
      value.split(",").map((name) => name.trim().toLowerCase())
    ),
  );
  const authority = formatHostPort(target);
  const lines = [
    `${method} ${path} HTTP/${version}`,
    `Host: ${target.port === 80 ? authority.slice(0, -":80".length) : authority}`,
  ];
  for (const { name, key, value } of fields) {
    if (!NOT_FORWARDED.has(key) && !named.has(key)) lines.push(`${name}: ${value}`);
  }
  if (body === "chunked") lines.push("Transfer-Encoding: chunked");
  else if (valuesOf(fields, "content-length").length > 0) lines.push(`Content-Length: ${body}`);
  lines.push("Connection: close", "", "");
  return latin1(lines.join("\r\n"));
}

/** One byte for each character, which is how `headLines` made the text. */
export function latin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export interface ResponseHead {
  readonly status: number;
  /** What the client gets instead: the connection ends with this answer. */
  readonly bytes: Uint8Array;
  /** Length of the body where the server said it. */
  readonly length: number | undefined;
}

/** Reads what a server answered; `undefined` when that is no HTTP/1 answer. */
export function parseResponse(head: Uint8Array): ResponseHead | undefined {
  const lines = headText(head);
  const status = Number(/^HTTP\/1\.[01] ([1-9][0-9]{2})(?: |$)/.exec(lines[0]!)?.[1] ?? 0);
  if (status === 0) return undefined;
  if (status < 200) return { status, bytes: latin1(`${lines.join("\r\n")}\r\n\r\n`), length: 0 };
  let length: number | undefined;
  let chunked = false;
  const kept = lines.slice(1).filter((line) => {
    const key = line.slice(0, Math.max(line.indexOf(":"), 0)).trim().toLowerCase();
    const value = line.slice(line.indexOf(":") + 1).trim();
    if (key === "content-length" && /^[0-9]{1,15}$/.test(value)) length = Number(value);
    if (key === "transfer-encoding") chunked = true;
    return key !== "connection" && key !== "keep-alive" && key !== "upgrade" &&
      !key.startsWith("proxy-");
  });
  const text = [lines[0]!, ...kept, "Connection: close", "", ""].join("\r\n");
  return { status, bytes: latin1(text), length: chunked ? undefined : length };
}

/** Servers are old and many: a bare line feed ends a line here, since only our client reads it. */
function headText(head: Uint8Array): string[] {
  let text = "";
  for (const byte of head) text += String.fromCharCode(byte);
  return text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
}
