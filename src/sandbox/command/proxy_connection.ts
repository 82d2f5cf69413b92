/**
 * One client's connection to the forward proxy, from its first byte to the last: the head, the
 * password, the list, then a tunnel or one plain request. It never outlives `close()`.
 */
import {
  ByteReader,
  type ByteSink,
  moveBody,
  moveBytes,
  skipBytes,
  writeAll,
} from "./byte_stream.ts";
import { MAX_HELLO, readClientHello } from "./client_hello.ts";
import { formatHostPort, type HostPort, readHost, ruleFor } from "./host_list.ts";
import {
  BadRequest,
  forwardedHead,
  parseProxyRequest,
  parseResponse,
  type ProxyRequest,
  singleValue,
} from "./http_head.ts";
import { answerAndDrain, proxyAnswer, TUNNEL_OPEN, UNRECOGNIZED_NAME } from "./proxy_answers.ts";
import { notListed, type ProxyAccess } from "./proxy_access.ts";
import { connectUpstream, UpstreamError } from "./upstream.ts";

export interface ProxyLimits {
  /** Bytes of a request's head. */
  readonly headBytes: number;
  /** From the connection to the end of its head. */
  readonly headTimeoutMs: number;
  /** Resolving and connecting together. */
  readonly connectTimeoutMs: number;
  /** Without a byte in either direction. */
  readonly idleTimeoutMs: number;
  /** For the client to read an error and close. */
  readonly drainTimeoutMs: number;
  readonly connections: number;
}

const RESPONSE_HEAD_BYTES = 64 * 1024;
/** Bytes behind a plain request that are read and dropped: unread ones would reset the answer. */
const SKIPPED_BYTES = 1024 * 1024;

export class ProxyConnection {
  readonly #client: Deno.TcpConn;
  readonly #access: ProxyAccess;
  readonly #limits: ProxyLimits;
  readonly #reader: ByteReader;
  readonly #abort = new AbortController();
  #server: Deno.TcpConn | undefined;
  #target: HostPort | undefined;
  #deadlineAt: number;
  /** What happens at the deadline; closing without a word where nothing else is set. */
  #late: string | undefined = "no whole request arrived in time";
  #closed = false;

  constructor(client: Deno.TcpConn, options: { access: ProxyAccess; limits: ProxyLimits }) {
    this.#client = client;
    this.#access = options.access;
    this.#limits = options.limits;
    this.#reader = new ByteReader(client);
    this.#deadlineAt = performance.now() + options.limits.headTimeoutMs;
  }

  /** Where the connection leads, once a rule allowed it. */
  get target(): HostPort | undefined {
    return this.#target;
  }

  /** Ends the connection when its time is up. */
  expire(nowMs: number): void {
    if (this.#closed || nowMs < this.#deadlineAt) return;
    const message = this.#late;
    if (message === undefined) return this.close();
    this.#late = undefined;
    this.#deadlineAt = nowMs + this.#limits.drainTimeoutMs;
    const status = this.#target === undefined ? 408 : 504;
    // What the connection waits for (its head, its server) ends when it is closed.
    writeAll(this.#client, proxyAnswer(status, `hermes: ${message}`))
      .catch(() => {}) // The client left: nobody is there to read the answer.
      .finally(() => this.close());
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#abort.abort();
    closeQuietly(this.#server);
    closeQuietly(this.#client);
  }

  /** Serves the client until both sides are done; never throws. */
  async serve(): Promise<void> {
    try {
      await this.#serveRequest();
    } catch {
      // A connection that broke: its client sees that, and nobody else waits for it.
    } finally {
      this.close();
    }
  }

  async #serveRequest(): Promise<void> {
    let request: ProxyRequest;
    try {
      const head = await this.#reader.until("\r\n\r\n", this.#limits.headBytes);
      if (head === undefined) return;
      request = parseProxyRequest(head);
      const credentials = singleValue(request.fields, "proxy-authorization");
      if (!this.#access.isAuthorized(credentials)) {
        return await this.#refuse(407, "the proxy needs the password of this session");
      }
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      return await this.#refuse(error.status, error.message);
    }
    if (ruleFor(this.#access.rules(), request.target) === undefined) {
      const message = notListed(request.target, this.#access.rules());
      this.#access.onRefused(request.target, message);
      return await this.#refuse(403, message);
    }
    const server = await this.#connect(request.target);
    if (server === undefined) return;
    this.#touch();
    if (request.kind === "connect") await this.#tunnel(server, request.target);
    else await this.#exchange(server, request);
  }

  /** The connection to the server; `undefined` after an answer that says why there is none. */
  async #connect(target: HostPort): Promise<Deno.TcpConn | undefined> {
    this.#target = target;
    this.#late = `${formatHostPort(target)} did not answer in time`;
    this.#deadlineAt = performance.now() + this.#limits.connectTimeoutMs;
    try {
      const server = await connectUpstream(target, {
        rules: this.#access.rules(),
        network: this.#access.network,
        ownPort: this.#access.ownPort,
        signal: this.#abort.signal,
      });
      if (this.#closed || this.#late === undefined) return void closeQuietly(server);
      this.#server = server;
      server.setNoDelay();
      this.#client.setNoDelay();
      return server;
    } catch (error) {
      if (!(error instanceof UpstreamError) || this.#late === undefined) throw error;
      if (error.kind === "refused") this.#access.onRefused(target, error.message);
      await this.#refuse(error.kind === "refused" ? 403 : 502, error.message);
      return undefined;
    }
  }

  async #tunnel(server: Deno.TcpConn, target: HostPort): Promise<void> {
    await writeAll(this.#client, TUNNEL_OPEN);
    const onProgress = () => this.#touch();
    // The server may speak first, so its direction does not wait for the client's first bytes.
    await this.#both(
      async () => {
        if (!await this.#checkServerName(target)) return;
        await moveBytes(this.#reader, { sink: server, onProgress });
        await server.closeWrite();
      },
      async () => {
        await moveBytes(server, { sink: this.#client, onProgress });
        await this.#client.closeWrite();
      },
    );
  }

  /** Runs both directions; the first that breaks ends the other. */
  async #both(up: () => Promise<void>, down: () => Promise<void>): Promise<void> {
    const ended = (work: Promise<void>) =>
      work.catch(() => {
        this.close();
      });
    await Promise.all([ended(up()), ended(down())]);
  }

  /** Reads the beginning of TLS; false, and everything closed, when it names another host. */
  async #checkServerName(target: HostPort): Promise<boolean> {
    let verdict = readClientHello(this.#reader.held);
    while (verdict.kind === "more" && this.#reader.held.length <= MAX_HELLO) {
      const { need } = verdict;
      while (this.#reader.held.length < need) {
        // What came is passed on as it is: no TLS server answers half a hello.
        if (!await this.#reader.more()) return true;
        this.#touch();
      }
      verdict = readClientHello(this.#reader.held);
    }
    if (verdict.kind === "not tls") return true;
    if (verdict.kind === "hello" && this.#isServerNameAllowed(verdict.serverName, target)) {
      return true;
    }
    const named = verdict.kind === "hello" ? readHost(verdict.serverName ?? "") : "";
    const shown = typeof named === "string" ? "no readable host" : named.text;
    const message = `a tunnel to ${formatHostPort(target)} asked its server for ${shown}`;
    this.#access.onRefused(target, message);
    await writeAll(this.#client, UNRECOGNIZED_NAME);
    this.close();
    return false;
  }

  /** The name must be the tunnel's host; at a tunnel to an address it must be on the list. */
  #isServerNameAllowed(serverName: string | undefined, target: HostPort): boolean {
    if (serverName === undefined) return true;
    const host = readHost(serverName);
    if (typeof host === "string") return false;
    if (host.kind === target.host.kind && host.text === target.host.text) return true;
    return target.host.kind === "address" &&
      ruleFor(this.#access.rules(), { host, port: target.port }) !== undefined;
  }

  /** One plain request and its answer. */
  async #exchange(server: Deno.TcpConn, request: ProxyRequest): Promise<void> {
    const onProgress = () => this.#touch();
    let isServerDeaf = false;
    const sink: ByteSink = {
      write: (bytes) =>
        server.write(bytes).catch((error) => {
          isServerDeaf = true;
          throw error;
        }),
    };
    const send = async () => {
      await writeAll(sink, forwardedHead(request));
      const options = { sink, body: request.body, onProgress };
      if (!await moveBody(this.#reader, options)) throw new BadRequest("the body has no end");
    };
    await this.#both(
      async () => {
        // A server that does not read on may have answered already, which the client must see.
        await send().catch((error) => {
          if (!isServerDeaf) throw error;
        });
        await skipBytes(this.#reader, SKIPPED_BYTES);
      },
      async () => {
        await this.#answer(new ByteReader(server));
        this.close();
      },
    );
  }

  /** Passes on interim answers and the final one. */
  async #answer(server: ByteReader): Promise<void> {
    while (true) {
      const head = await server.until("\r\n\r\n", RESPONSE_HEAD_BYTES).catch(() => undefined);
      const response = head === undefined ? undefined : parseResponse(head);
      // 101 would make the rest of the connection a protocol that nobody here checks.
      if (response === undefined || response.status === 101) {
        return await this.#refuse(502, "the server gave no answer that can be passed on");
      }
      this.#touch();
      await writeAll(this.#client, response.bytes);
      if (response.status < 200) continue;
      await moveBytes(server, {
        sink: this.#client,
        ...response.length !== undefined && { count: response.length },
        onProgress: () => this.#touch(),
      });
      return await this.#client.closeWrite();
    }
  }

  async #refuse(status: number, message: string): Promise<void> {
    this.#late = undefined;
    this.#deadlineAt = performance.now() + this.#limits.drainTimeoutMs;
    await answerAndDrain(this.#client, proxyAnswer(status, `hermes: ${message}`));
  }

  #touch(): void {
    this.#late = undefined;
    this.#deadlineAt = performance.now() + this.#limits.idleTimeoutMs;
  }
}

function closeQuietly(connection: Deno.Conn | undefined): void {
  try {
    connection?.close();
  } catch {
    // Closed already, by the other side's end: what was wanted.
  }
}
