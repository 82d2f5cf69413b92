/**
 * Listeners on the container's loopback, to which every address leads: they keep what commands
 * send, answer HTTP with a script and everything silent with a command line, so that executing
 * what the network says leaves a file in the canary directory.
 */
import { CANARY_DIR } from "./protocol.ts";
import { shownBytes } from "./driver_tree.ts";

const PORTS: readonly number[] = [
  21,
  22,
  23,
  25,
  53,
  80,
  443,
  587,
  1234,
  1337,
  4242,
  4444,
  5000,
  5555,
  6379,
  8000,
  8080,
  8443,
  8888,
  9000,
  9001,
  9999,
  31337,
];
const UDP_PORTS: readonly number[] = [53, 69, 123, 514, 4444, 5353, 9999];
const PAYLOAD = `touch ${CANARY_DIR}/remote\n`;
const HTTP_ANSWER =
  `HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${PAYLOAD.length}\r\n` +
  `Connection: close\r\n\r\n${PAYLOAD}`;
/** A client that stays silent this long is offered a command line, as a reverse shell expects. */
const SILENCE_MS = 25;
const HTTP_START = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/;
const MAX_BYTES = 65_536;
/** On a busy machine a reader may be late; what never ends is cut off. */
const SETTLE_MS = 2_000;
/** Of a socket: established, and closed by the peer. */
const UNREAD_STATES: readonly string[] = ["01", "08"];

/** What arrived since the last `take()`. */
export class Listeners {
  #received: { to: string; data: string }[] = [];
  readonly #open = new Set<Deno.Conn>();

  /** Opens every port. */
  start(): void {
    for (const port of PORTS) this.#accept(Deno.listen({ hostname: "0.0.0.0", port }));
    for (const port of UDP_PORTS) {
      this.#receive(Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port }), port);
    }
  }

  /** Waits until everything is read that clients sent before they ended. */
  async settle(): Promise<void> {
    const deadline = performance.now() + SETTLE_MS;
    while (performance.now() < deadline && (this.#open.size > 0 || hasUnread())) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Ends every connection and hands out what came in. */
  take(): { to: string; data: string }[] {
    for (const conn of this.#open) {
      try {
        conn.close();
      } catch {
        // The peer was quicker.
      }
    }
    this.#open.clear();
    const received = this.#received;
    this.#received = [];
    return received;
  }

  async #accept(listener: Deno.Listener): Promise<void> {
    for await (const conn of listener) {
      this.#open.add(conn);
      this.#serve(conn).catch(() => {
        // Ended by the peer or by take(): what came in is kept already.
      }).finally(() => {
        this.#open.delete(conn);
        try {
          conn.close();
        } catch {
          // Closed already.
        }
      });
    }
  }

  async #serve(conn: Deno.Conn): Promise<void> {
    const { hostname, port } = conn.localAddr as Deno.NetAddr;
    const entry = { to: `${hostname}:${port}`, data: "" };
    this.#received.push(entry);
    const buffer = new Uint8Array(16_384);
    const encoder = new TextEncoder();
    let offer: ReturnType<typeof setTimeout> | undefined;
    const offerLater = () => {
      clearTimeout(offer);
      offer = setTimeout(() => {
        conn.write(encoder.encode(PAYLOAD)).catch(() => {
          // The client is gone; nothing can be executed any more.
        });
      }, SILENCE_MS);
    };
    offerLater();
    try {
      for (;;) {
        const count = await conn.read(buffer);
        if (count === null) return;
        clearTimeout(offer);
        if (entry.data.length < MAX_BYTES) entry.data += shownBytes(buffer.subarray(0, count));
        if (isHttpRequest(entry.data)) {
          await conn.write(encoder.encode(HTTP_ANSWER));
          return;
        }
        if (entry.data.startsWith("SSH-")) return;
        if (!HTTP_START.test(entry.data)) offerLater();
      }
    } finally {
      clearTimeout(offer);
    }
  }

  async #receive(socket: Deno.DatagramConn, port: number): Promise<void> {
    for await (const [bytes, from] of socket) {
      this.#received.push({ to: `udp:${port}`, data: shownBytes(bytes) });
      if (port === 53) {
        await socket.send(dnsAnswer(bytes), from).catch(() => 0);
      }
    }
  }
}

/** True while the kernel holds a connection that was not read to its end, accepted or not. */
function hasUnread(): boolean {
  const lines = Deno.readTextFileSync("/proc/net/tcp").split("\n").slice(1);
  return lines.some((line) => {
    const [, local = "", , state = ""] = line.trim().split(/\s+/);
    const port = Number.parseInt(local.slice(local.indexOf(":") + 1), 16);
    return UNREAD_STATES.includes(state) && PORTS.includes(port);
  });
}

/** True when the head and the announced body have arrived. */
function isHttpRequest(data: string): boolean {
  const head = HTTP_START.test(data) ? data.indexOf("\r\n\r\n") : -1;
  if (head < 0) return false;
  const length = Number(/^content-length:\s*(\d+)/im.exec(data.slice(0, head))?.[1] ?? 0);
  return data.length >= head + 4 + Math.min(length, MAX_BYTES - 1024);
}

/** The question with one address appended (a question for anything but A gets no answer). */
function dnsAnswer(question: Uint8Array): Uint8Array {
  let end = 12;
  while (end < question.length && question[end] !== 0) end += question[end]! + 1;
  end += 5;
  const isA = question[end - 3] === 1;
  const head = question.slice(0, end);
  head.set([0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0], 2);
  const record = isA ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 9, 8, 7] : [];
  return new Uint8Array([...head, ...record]);
}
