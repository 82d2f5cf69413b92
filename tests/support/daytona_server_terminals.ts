/** The terminals of one sandbox of the fake Daytona: web sockets, and shells behind them. */
import type { HostProcess, HostSandbox } from "./cloud_host.ts";

/** Output waiting for a slow client. */
const MAX_BUFFERED = 4 << 20;
/** How long a client may take to close its end. */
const LINGER_MS = 1_000;
const EXIT_CONTROL = "X-Daytona-Pty-Exit-Control";

export class DaytonaTerminals {
  readonly #host: HostSandbox;
  readonly #open = new Map<string, HostProcess>();
  readonly #sockets = new Set<WebSocket>();
  readonly #serving = new Set<Promise<void>>();

  constructor(host: HostSandbox) {
    this.#host = host;
  }

  get busy(): boolean {
    return this.#sockets.size > 0;
  }

  /** `path` is relative to the toolbox; undefined when this is none of its addresses. */
  async serve(
    request: Request,
    { url, path }: { url: URL; path: string[] },
  ): Promise<Response | undefined> {
    const [area, kind, id, action] = path;
    if (area !== "process" || kind !== "pty") return undefined;
    if (id === "create-connect") return this.#connect(request, url.searchParams);
    const process = this.#open.get(id!);
    if (!process) return Response.json({ message: "PTY session not found" }, { status: 404 });
    if (request.method === "DELETE") {
      process.kill();
      return new Response(null, { status: 204 });
    }
    if (action !== "resize") return undefined;
    const { cols, rows } = await request.json();
    await process.resize({ columns: cols, rows });
    return Response.json({ id, cols, rows, active: true });
  }

  /** Cuts every connection and ends every shell. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close(1011, "the sandbox is gone");
    for (const process of this.#open.values()) process.kill();
    await Promise.all(this.#serving);
  }

  #connect(request: Request, query: URLSearchParams): Response {
    const offered = request.headers.get("sec-websocket-protocol")?.split(/, */) ?? [];
    const protocol = offered.find((name) => name === EXIT_CONTROL) ?? offered[0];
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
    // Not by the option, which knows lists with spaces only.
    if (protocol !== undefined) response.headers.set("sec-websocket-protocol", protocol);
    socket.binaryType = "arraybuffer";
    this.#sockets.add(socket);
    const closed = new Promise<void>((resolve) => {
      socket.onclose = () => {
        this.#sockets.delete(socket);
        resolve();
      };
    });
    socket.onerror = () => {}; // The close that follows says all.
    socket.onopen = () => {
      const serving = this.#run(socket, { query, closed });
      this.#serving.add(serving);
      serving.finally(() => this.#serving.delete(serving));
    };
    return response;
  }

  /** A shell for the life of a terminal; it outlives its socket as the real one does. */
  async #run(
    socket: WebSocket,
    { query, closed }: { query: URLSearchParams; closed: Promise<void> },
  ): Promise<void> {
    const id = query.get("id")!;
    const process = this.#host.start({
      argv: ["bash", "-i", "-l"],
      env: { TERM: "xterm-256color" },
      terminal: { columns: Number(query.get("cols")), rows: Number(query.get("rows")) },
      ...(query.has("cwd") ? { cwd: query.get("cwd")! } : {}),
    });
    this.#open.set(id, process);
    // One after the other, and nothing is lost when the shell reads slowly.
    let typed = Promise.resolve();
    socket.onmessage = ({ data }) => {
      typed = typed.then(() => process.write(new Uint8Array(data as ArrayBuffer))).catch(() => {});
    };
    socket.send(JSON.stringify({ type: "control", status: "connected" }));
    await copyOutput(process, socket);
    const { code } = await process.exited;
    this.#open.delete(id);
    if (socket.readyState === WebSocket.OPEN) {
      const end = { exitCode: code };
      socket.send(JSON.stringify({ type: "control", status: "exited", ...end }));
      // Closing while input is on its way would reset the connection and lose these words.
      const timer = setTimeout(() => socket.close(1000, JSON.stringify(end)), LINGER_MS);
      await closed;
      clearTimeout(timer);
    }
    await process.dispose();
    await closed;
  }
}

async function copyOutput(process: HostProcess, socket: WebSocket): Promise<void> {
  for (let chunk; !(chunk = await process.output.read()).done;) {
    if (socket.readyState !== WebSocket.OPEN) continue;
    socket.send(chunk.value as Uint8Array<ArrayBuffer>);
    while (socket.bufferedAmount > MAX_BUFFERED) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}
