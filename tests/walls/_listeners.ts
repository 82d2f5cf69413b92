/** Listeners outside the walls, which remember what they were told and by what name. */
import { createSocket, type Socket } from "node:dgram";

export class Listeners {
  readonly #said: Map<string, string[]> = new Map();
  readonly #streams: { close(): void }[] = [];
  readonly #datagrams: Socket[] = [];
  readonly #serving: Promise<void>[] = [];

  /** A socket with a path, open to everybody. */
  async unix(name: string, path: string): Promise<void> {
    this.#serve(name, Deno.listen({ transport: "unix", path }));
    await Deno.chmod(path, 0o777);
  }

  /** A socket without a path. */
  abstract(name: string, path: string): void {
    this.#serve(name, Deno.listen({ transport: "unix", path: `\0${path}` }));
  }

  /** Returns the port. */
  tcp(name: string, hostname: string): number {
    const listener = Deno.listen({ hostname, port: 0 });
    this.#serve(name, listener);
    return listener.addr.port;
  }

  /** Returns the port. */
  async udp(name: string, hostname: string): Promise<number> {
    const socket = createSocket(
      hostname.includes(":") ? "udp6" : "udp4",
      (message) => this.#note(name, message.toString()),
    );
    this.#datagrams.push(socket);
    await new Promise<void>((resolve) => socket.bind(0, hostname, resolve));
    return socket.address().port;
  }

  /** True when `id` was said to the listener, alone or as the path of a request. */
  heard(name: string, id: string): boolean {
    return (this.#said.get(name) ?? []).some((text) =>
      text.trim() === id || text.includes(`/${id} `)
    );
  }

  #note(name: string, text: string): void {
    this.#said.set(name, [...this.#said.get(name) ?? [], text]);
  }

  #serve(name: string, listener: Deno.Listener<Deno.Conn> | Deno.UnixListener): void {
    this.#streams.push(listener);
    const accept = async (): Promise<void> => {
      for await (const connection of listener as AsyncIterable<Deno.Conn>) {
        void this.#hear(name, connection);
      }
    };
    this.#serving.push(accept());
  }

  async #hear(name: string, connection: Deno.Conn): Promise<void> {
    try {
      const buffer = new Uint8Array(4096);
      const length = await connection.read(buffer) ?? 0;
      this.#note(name, new TextDecoder().decode(buffer.subarray(0, length)));
    } catch {
      // Reset by an attempt that was cut off: nothing was said.
    } finally {
      connection.close();
    }
  }

  async close(): Promise<void> {
    for (const stream of this.#streams) stream.close();
    await Promise.all(this.#serving);
    for (const socket of this.#datagrams) {
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    }
  }
}
