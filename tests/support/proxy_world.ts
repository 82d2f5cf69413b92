/**
 * A small internet on loopback for tests of the forward proxy: names that the test invents, ports
 * 80 and 443 led to servers of the test, and a client that says exactly the bytes it is given.
 */
import { type HostRule, parseHostList } from "../../src/sandbox/command/host_list.ts";
import {
  type ForwardProxy,
  type ForwardProxyOptions,
  startForwardProxy,
} from "../../src/sandbox/command/forward_proxy.ts";
import { formatIp, specialRange } from "../../src/sandbox/command/ip_address.ts";
import type { ProxyNetwork } from "../../src/sandbox/command/upstream.ts";

/** Answers for names, and where ports lead. Counts what was asked. */
export class LoopbackInternet implements ProxyNetwork {
  /** Names to addresses; each call takes the next answer, the last one stays. */
  readonly names = new Map<string, string[][]>();
  /** Port of the target to port of the test's server; others are taken as they are. */
  readonly ports = new Map<number, number>();
  /** Loopback addresses that stand for public ones. */
  readonly public: Set<string> = new Set(["127.0.0.1"]);
  readonly asked: string[] = [];
  readonly connected: string[] = [];

  resolve(name: string): Promise<readonly string[]> {
    this.asked.push(name);
    const answers = this.names.get(name);
    if (answers === undefined) return Promise.reject(new Error("no such name"));
    return Promise.resolve(answers.length > 1 ? answers.shift()! : answers[0]!);
  }

  refuses(bytes: Uint8Array): string | undefined {
    return this.public.has(formatIp(bytes)) ? undefined : specialRange(bytes);
  }

  connect(
    address: string,
    { port, signal }: { port: number; signal: AbortSignal },
  ): Promise<Deno.TcpConn> {
    this.connected.push(`${address} ${port}`);
    return Deno.connect({ hostname: address, port: this.ports.get(port) ?? port, signal });
  }
}

/** A proxy with a list, in a small internet where `allowed.test` is 127.0.0.1. */
export function startTestProxy(
  list: string,
  options: Partial<ForwardProxyOptions> & { internet?: LoopbackInternet } = {},
): { proxy: ForwardProxy; internet: LoopbackInternet; rules: HostRule[] } {
  const { internet = new LoopbackInternet(), ...rest } = options;
  if (!internet.names.has("allowed.test")) internet.names.set("allowed.test", [["127.0.0.1"]]);
  const rules = parseHostList(list);
  const network: ProxyNetwork = {
    resolve: (name) => internet.resolve(name),
    refuses: (bytes) => internet.refuses(bytes),
    connect: (address, how) => internet.connect(address, how),
  };
  return { proxy: startForwardProxy({ rules, network, ...rest }), internet, rules };
}

/** The header line that opens the proxy. */
export function passwordLine(proxy: ForwardProxy): string {
  return `Proxy-Authorization: Basic ${btoa(`hermes:${proxy.password}`)}\r\n`;
}

/** Sends `text` byte for byte, one per character, and gives back everything until the end. */
export async function say(proxy: ForwardProxy, text: string): Promise<string> {
  const client = await Deno.connect({ hostname: "127.0.0.1", port: proxy.port });
  try {
    await sendText(client, text);
    return await receiveAll(client);
  } finally {
    client.close();
  }
}

export async function sendText(client: Deno.Conn, text: string): Promise<void> {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  for (let at = 0; at < bytes.length;) at += await client.write(bytes.subarray(at));
}

export async function receiveAll(client: Deno.Conn): Promise<string> {
  let text = "";
  for (let part = await receive(client); part !== ""; part = await receive(client)) text += part;
  return text;
}

/** What comes next, one character per byte; empty at the end. */
export async function receive(client: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(64 * 1024);
  const got = await client.read(buffer);
  return got === null
    ? ""
    : Array.from(buffer.subarray(0, got), (byte) => String.fromCharCode(byte)).join("");
}

/** Reads until `end` was received. */
export async function receiveUntil(client: Deno.Conn, end: string): Promise<string> {
  let text = "";
  while (!text.includes(end)) {
    const part = await receive(client);
    if (part === "") throw new Error(`ended before ${JSON.stringify(end)}: ${text}`);
    text += part;
  }
  return text;
}

/** Opens a tunnel; the connection is ready for its first byte. */
export async function openTunnel(proxy: ForwardProxy, target: string): Promise<Deno.TcpConn> {
  const client = await Deno.connect({ hostname: "127.0.0.1", port: proxy.port });
  await sendText(client, `CONNECT ${target} HTTP/1.1\r\n${passwordLine(proxy)}\r\n`);
  const answer = await receiveUntil(client, "\r\n\r\n");
  if (!answer.startsWith("HTTP/1.1 200 ")) {
    client.close();
    throw new Error(answer);
  }
  return client;
}

/** A server that keeps what each connection says and answers by `reply`. */
export class RawServer implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #work: Promise<void>[] = [];
  readonly #open = new Set<Deno.Conn>();
  #accepted = 0;

  constructor(serve: (connection: Deno.TcpConn) => Promise<void>) {
    this.#work.push(this.#accept(serve));
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** How many connections came. */
  get accepted(): number {
    return this.#accepted;
  }

  async #accept(serve: (connection: Deno.TcpConn) => Promise<void>): Promise<void> {
    for await (const connection of this.#listener) {
      this.#accepted++;
      this.#open.add(connection);
      this.#work.push(
        serve(connection).catch(() => {}).finally(() => {
          if (this.#open.delete(connection)) connection.close();
        }),
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) {
      this.#open.delete(connection);
      connection.close();
    }
    await Promise.all(this.#work);
  }
}
