/**
 * IP addresses as bytes: strict reading, one canonical spelling, and the ranges that commands do
 * not reach by a name. It asks nobody: names are resolved elsewhere.
 */
import {
  type AddressRange,
  IPV4_IN_IPV6,
  IPV4_RANGES,
  IPV6_GLOBAL,
  IPV6_RANGES,
} from "./address_ranges_data.ts";

/** Four bytes of IPv4 or sixteen of IPv6. An IPv4 address inside `::ffff:0:0/96` is IPv4 here. */
export type IpBytes = Uint8Array;

/** `undefined` unless `text` is four decimal numbers or IPv6; no zone, no octal or hex IPv4. */
export function parseIp(text: string): IpBytes | undefined {
  if (text.includes(":")) return parseIpv6(text);
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (const [index, part] of parts.entries()) {
    const value = Number(part);
    // "010" is octal for some programs and decimal for others; only the canonical text is read.
    if (!/^[0-9]{1,3}$/.test(part) || String(value) !== part || value > 255) return undefined;
    bytes[index] = value;
  }
  return bytes;
}

function parseIpv6(text: string): IpBytes | undefined {
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text)) return undefined;
  let canonical: string;
  try {
    canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return undefined;
  }
  const [head = "", tail] = canonical.split("::");
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const before = groups(head);
  const after = groups(tail ?? "");
  const all = [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
  const bytes = new Uint8Array(16);
  for (const [index, group] of all.entries()) {
    const value = parseInt(group, 16);
    bytes[index * 2] = value >> 8;
    bytes[index * 2 + 1] = value & 255;
  }
  return isMapped(bytes) ? bytes.slice(12) : bytes;
}

function isMapped(bytes: IpBytes): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 &&
    bytes[11] === 255;
}

/** The canonical text of an address, without brackets. */
export function formatIp(bytes: IpBytes): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((bytes[i]! << 8 | bytes[i + 1]!).toString(16));
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}

interface ParsedRange extends AddressRange {
  readonly bytes: IpBytes;
}

let ranges: { v4: ParsedRange[]; v6: ParsedRange[]; global: ParsedRange } | undefined;

function parsedRanges(): { v4: ParsedRange[]; v6: ParsedRange[]; global: ParsedRange } {
  const parse = (range: AddressRange) => ({ ...range, bytes: parseIp(range.first)! });
  return ranges ??= {
    v4: IPV4_RANGES.map(parse),
    v6: IPV6_RANGES.map(parse),
    global: parse(IPV6_GLOBAL),
  };
}

function isInRange(bytes: IpBytes, range: ParsedRange): boolean {
  const whole = range.bits >> 3;
  for (let i = 0; i < whole; i++) if (bytes[i] !== range.bytes[i]) return false;
  const rest = range.bits & 7;
  if (rest === 0) return true;
  const mask = 0xff << (8 - rest) & 0xff;
  return (bytes[whole]! & mask) === (range.bytes[whole]! & mask);
}

/** What keeps an address from being public ("a private address"); `undefined` for a public one. */
export function specialRange(bytes: IpBytes): string | undefined {
  const { v4, v6, global } = parsedRanges();
  if (bytes.length === 4) return v4.find((range) => isInRange(bytes, range))?.what;
  for (const range of IPV4_IN_IPV6) {
    if (!isInRange(bytes, { ...range, bytes: parseIp(range.first)! })) continue;
    return specialRange(bytes.slice(range.offset, range.offset + 4));
  }
  const special = v6.find((range) => isInRange(bytes, range));
  if (special !== undefined) return special.what;
  return isInRange(bytes, global) ? undefined : "a reserved address";
}
