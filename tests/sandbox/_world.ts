/**
 * What an escaped script could reach: a secret, a victim directory, listening sockets, a
 * process that hears signals. Watches all of them and tells what was touched.
 */
import { createSocket, type Socket } from "node:dgram";
import { dirname } from "../../src/util/path.ts";
import { TEST_BUNDLE, testEnv } from "../support/hermes.ts";

export class World {
  readonly marker: string = `marker-${crypto.randomUUID()}`;
  /** A socket that has no path. */
  readonly abstractName: string = `canary-${crypto.randomUUID()}`;
  readonly directory: string;
  /** What attempts write into files that later processes would trust. */
  readonly poison: string = `poison-${crypto.randomUUID()}`;
  readonly projectRoot: string = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
  /** The secret, open in this process and left open for whatever it starts. */
  descriptor = -1;
  tcpPort = 0;
  udpPort = 0;
  /** Tools the script got through to, by name. */
  calls: string[] = [];
  #tcp: Deno.TcpListener;
  #unix: Deno.UnixListener;
  #abstract: Deno.UnixListener;
  #udp: Socket;
  #contacts: string[] = [];
  #victimBefore = "";
  #onSignal = (): void => void this.#contacts.push("signal");
  #serving: Promise<unknown>;

  constructor(directory: string) {
    this.directory = directory;
    this.#tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.tcpPort = this.#tcp.addr.port;
    this.#unix = Deno.listen({ transport: "unix", path: this.unixSocket });
    this.#abstract = Deno.listen({ transport: "unix", path: `\0${this.abstractName}` });
    this.#udp = createSocket("udp4", () => this.#contacts.push("udp"));
    this.#serving = Promise.all([
      this.#accept(this.#tcp, "tcp"),
      this.#accept(this.#unix, "unix"),
      this.#accept(this.#abstract, "abstract"),
    ]);
    Deno.addSignalListener("SIGUSR2", this.#onSignal);
  }

  get secretFile(): string {
    return `${this.directory}/secret.txt`;
  }
  get secretJson(): string {
    return `${this.directory}/secret.json`;
  }
  get secretModule(): string {
    return `${this.directory}/secret.mjs`;
  }
  get secretPython(): string {
    return `${this.directory}/secret.py`;
  }
  get victim(): string {
    return `${this.directory}/victim`;
  }
  get unixSocket(): string {
    return `${this.directory}/canary.sock`;
  }

  static async create(): Promise<World> {
    const world = new World(await Deno.makeTempDir({ prefix: "escape-" }));
    await new Promise<void>((resolve) => world.#udp.bind(0, "127.0.0.1", resolve));
    world.udpPort = world.#udp.address().port;
    await Deno.writeTextFile(world.secretFile, world.marker);
    await Deno.writeTextFile(world.secretJson, JSON.stringify({ k: world.marker }));
    await Deno.writeTextFile(world.secretModule, `export const k = "${world.marker}";`);
    await Deno.writeTextFile(world.secretPython, `k = "${world.marker}"`);
    await Deno.mkdir(world.victim);
    await Deno.writeTextFile(`${world.victim}/keep.txt`, "untouched");
    await Deno.symlink(world.secretFile, `${world.directory}/link`);
    world.descriptor = openInheritable(world.secretFile);
    world.#victimBefore = await world.#look();
    return world;
  }

  /** Whatever was touched since the last call. */
  async traces(): Promise<string[]> {
    const found = this.#contacts.splice(0);
    const now = await this.#look();
    if (now !== this.#victimBefore) found.push(`victim changed: ${now}`);
    return found;
  }

  /** Caches of the runtime that hold the poison: its databases here, and those of an unpacked build. */
  async poisoned(): Promise<string[]> {
    const { DENO_DIR, HERMES_BIN_CACHE } = testEnv("/");
    const directories = [DENO_DIR!];
    const bundle = Deno.env.get(TEST_BUNDLE);
    if (bundle) directories.push(`${dirname(bundle)}/cache`, `${dirname(bundle)}/app`);
    for (const key of await namesIn(HERMES_BIN_CACHE!)) {
      const root = `${HERMES_BIN_CACHE}/${key}`;
      directories.push(`${root}/cache`, `${root}/app`);
    }
    const found: string[] = [];
    for (const directory of directories) {
      for (const name of await namesIn(directory)) {
        const path = `${directory}/${name}`;
        if ((await endsOf(path)).includes(this.poison)) found.push(path);
      }
    }
    return found;
  }

  async #look(): Promise<string> {
    const lines: string[] = [];
    for await (const { name } of Deno.readDir(this.directory)) lines.push(name);
    for await (const { name } of Deno.readDir(this.victim)) {
      const path = `${this.victim}/${name}`;
      const { mode, uid, mtime, size } = await Deno.lstat(path);
      lines.push([name, mode, uid, mtime?.getTime(), size].join(" "));
    }
    return lines.sort().join("\n");
  }

  async #accept(listener: AsyncIterable<Deno.Conn>, name: string): Promise<void> {
    for await (const connection of listener) {
      this.#contacts.push(name);
      connection.close();
    }
  }

  async close(): Promise<void> {
    Deno.removeSignalListener("SIGUSR2", this.#onSignal);
    this.#tcp.close();
    this.#unix.close();
    this.#abstract.close();
    await this.#serving;
    await new Promise<void>((resolve) => this.#udp.close(() => resolve()));
    closeDescriptor(this.descriptor);
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** Entries of a directory; none where there is no such directory. */
async function namesIn(directory: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const { name } of Deno.readDir(directory)) found.push(name);
  } catch {
    // Nothing was kept there.
  }
  return found;
}

/** The first and the last part of a file: an adopted descriptor stands at the one, appending is at the other. */
async function endsOf(path: string): Promise<string> {
  try {
    using file = await Deno.open(path);
    const { size } = await file.stat();
    const buffer = new Uint8Array(END_BYTES);
    let text = "";
    for (const at of [0, Math.max(0, size - END_BYTES)]) {
      await file.seek(at, Deno.SeekMode.Start);
      text += new TextDecoder("latin1").decode(buffer.subarray(0, await file.read(buffer) ?? 0));
    }
    return text;
  } catch {
    return ""; // A directory, or gone by now.
  }
}

const END_BYTES = 64 * 1024;

const LIBC = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** Opens a file without close-on-exec, as a careless shell does. */
function openInheritable(path: string): number {
  const libc = Deno.dlopen("libc.so.6", LIBC);
  try {
    return libc.symbols.open(new TextEncoder().encode(`${path}\0`), 0);
  } finally {
    libc.close();
  }
}

function closeDescriptor(descriptor: number): void {
  const libc = Deno.dlopen("libc.so.6", LIBC);
  libc.symbols.close(descriptor);
  libc.close();
}
