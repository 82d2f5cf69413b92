/**
 * From a host on the list to a connection: resolve the name once, check every address, connect to
 * one of the very addresses that were checked. A name is never handed to the system for connecting,
 * so it cannot change its address in between.
 */
import { type HostPort, type HostRule, ruleFor } from "./host_list.ts";
import { formatIp, type IpBytes, parseIp, specialRange } from "./ip_address.ts";

/** How the proxy reaches the world; tests bring their own. */
export interface ProxyNetwork {
  /** Addresses of a name, the preferred first; throws when there is none. */
  resolve(name: string): Promise<readonly string[]>;
  /** Why an address must not be reached by a name ("a private address"), or `undefined`. */
  refuses(address: IpBytes): string | undefined;
  connect(address: string, options: { port: number; signal: AbortSignal }): Promise<Deno.TcpConn>;
}

/** The system's resolver, the ranges of `ip_address.ts`, and TCP. */
export const SYSTEM_NETWORK: ProxyNetwork = {
  resolve: systemResolve,
  refuses: specialRange,
  connect: (address, { port, signal }) => Deno.connect({ hostname: address, port, signal }),
};

/** Why there is no connection. `refused` is the walls' doing, the others are the network's. */
export class UpstreamError extends Error {
  override name = "UpstreamError";
  readonly kind: "refused" | "unknown name" | "unreachable";
  constructor(message: string, kind: UpstreamError["kind"]) {
    super(message);
    this.kind = kind;
  }
}

/** An address that does not answer gets a rival after this time (RFC 8305). */
const NEXT_ATTEMPT_MS = 250;
const MAX_ADDRESSES = 16;

/** `getaddrinfo`, so that `/etc/hosts` and the machine's other sources of names hold. */
async function systemResolve(name: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

export interface UpstreamOptions {
  readonly rules: readonly HostRule[];
  readonly network: ProxyNetwork;
  /** The proxy's own port, which leads nowhere through the proxy. */
  readonly ownPort: number;
  readonly signal: AbortSignal;
}

/** Connects to a target that a rule allows; throws `UpstreamError`. */
export async function connectUpstream(
  target: HostPort,
  options: UpstreamOptions,
): Promise<Deno.TcpConn> {
  const addresses = await checkedAddresses(target, options);
  options.signal.throwIfAborted();
  return await connectFirst(addresses, { ...options, port: target.port });
}

/** The addresses of a target, each of them allowed. */
async function checkedAddresses(target: HostPort, options: UpstreamOptions): Promise<string[]> {
  const { host, port } = target;
  const found = await untilAborted(candidates(target, options.network), options.signal);
  const addresses: string[] = [];
  for (const text of found.slice(0, MAX_ADDRESSES)) {
    const bytes = parseIp(text);
    if (bytes === undefined) {
      throw new UpstreamError(`${host.text} has an address that is not readable`, "refused");
    }
    const address = formatIp(bytes);
    const isThisMachine = bytes.length === 4 ? bytes[0] === 127 || bytes[0] === 0 : bytes[0] === 0;
    if (isThisMachine && port === options.ownPort) {
      throw new UpstreamError("the proxy does not lead to itself", "refused");
    }
    const range = isNamed({ address, target }, options)
      ? undefined
      : options.network.refuses(bytes);
    // One bad address refuses the name: a mixed answer is what rebinding looks like.
    if (range !== undefined) {
      throw new UpstreamError(
        `${host.text} leads to ${address}, ${range}; to allow that, name the address as well`,
        "refused",
      );
    }
    addresses.push(address);
  }
  return addresses;
}

async function candidates(target: HostPort, network: ProxyNetwork): Promise<readonly string[]> {
  const { kind, text } = target.host;
  if (kind === "address") return [text];
  if (text === "localhost") return ["127.0.0.1", "::1"];
  let found: readonly string[];
  try {
    found = await network.resolve(text);
  } catch {
    found = [];
  }
  if (found.length === 0) throw new UpstreamError(`the name ${text} was not found`, "unknown name");
  return found;
}

/** Stops waiting when the connection ends; a resolver of the system cannot be stopped itself. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** True when a person named this very address, or `localhost`, which has no other meaning. */
function isNamed(
  { address, target }: { address: string; target: HostPort },
  { rules }: UpstreamOptions,
): boolean {
  if (target.host.text === "localhost") return true;
  return ruleFor(rules, { host: { kind: "address", text: address }, port: target.port }) !==
    undefined;
}

/** The first address that answers; each next one starts when the one before failed or is slow. */
async function connectFirst(
  addresses: readonly string[],
  { network, port, signal }: UpstreamOptions & { port: number },
): Promise<Deno.TcpConn> {
  const losers = new AbortController();
  const stop = AbortSignal.any([signal, losers.signal]);
  const won = Promise.withResolvers<void>();
  const trials: Promise<void>[] = [];
  let winner: Deno.TcpConn | undefined;
  async function attempt(address: string): Promise<void> {
    const connection = await network.connect(address, { port, signal: stop });
    if (stop.aborted) return connection.close();
    winner = connection;
    losers.abort();
    won.resolve();
  }
  for (const address of addresses) {
    const trial = attempt(address).catch(() => {
      // A failed attempt leaves the field to the next; when all fail, that is said below.
    });
    trials.push(trial);
    await firstOf([trial, won.promise], NEXT_ATTEMPT_MS);
    if (stop.aborted) break;
  }
  await Promise.all(trials);
  if (signal.aborted) winner?.close();
  signal.throwIfAborted();
  if (winner === undefined) throw new UpstreamError(`port ${port} did not answer`, "unreachable");
  return winner;
}

/** Waits for one of these, but not longer than `ms`. */
async function firstOf(ends: readonly Promise<void>[], ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([...ends, promise]);
  clearTimeout(timer);
}
