/**
 * The forward proxy through which commands reach the hosts of `--network HOST,…`. It listens on
 * loopback at a port of its own, wants the password of this session, and allows what its list
 * names. Which sockets commands may open at all is the business of the walls.
 */
import type { SandboxGrant } from "../../protocol/sandbox.ts";
import { randomId } from "../../util/id.ts";
import { type HostRule, parseHostRule, ruleFor } from "./host_list.ts";
import { proxyAnswer } from "./proxy_answers.ts";
import { isEqualSecret, type ProxyAccess } from "./proxy_access.ts";
import { ProxyConnection, type ProxyLimits } from "./proxy_connection.ts";
import { type Refusal, Refusals } from "./refusals.ts";
import { type ProxyNetwork, SYSTEM_NETWORK } from "./upstream.ts";

const LIMITS: ProxyLimits = {
  headBytes: 32 * 1024,
  headTimeoutMs: 10_000,
  connectTimeoutMs: 30_000,
  idleTimeoutMs: 10 * 60_000,
  drainTimeoutMs: 2000,
  connections: 256,
};

/** How often connections are looked at for their deadlines. */
const SWEEP_MS = 500;
/** A machine that has no descriptor left for a connection is asked again after this time. */
const ACCEPT_PAUSE_MS = 100;
const USER = "hermes";

export interface ForwardProxyOptions {
  readonly rules: readonly HostRule[];
  /** Stored grants; those of the kind `host` join the rules, others are passed over. */
  readonly grants?: readonly SandboxGrant[];
  /** Told of each refusal, with the count of its host so far. */
  readonly onRefused?: (refusal: Refusal) => void;
  /** Replaces the system's resolver. */
  readonly resolve?: ProxyNetwork["resolve"];
  /** Replaces the whole way out; for tests, whose servers are on loopback. */
  readonly network?: Partial<ProxyNetwork>;
  readonly limits?: Partial<ProxyLimits>;
}

/** How long `allow()` holds: until its result is disposed of, or as long as the proxy. */
export type AllowScope = "once" | "session";

/** Starts listening; the caller owns the proxy and closes it. */
export function startForwardProxy(options: ForwardProxyOptions): ForwardProxy {
  const granted = (options.grants ?? []).filter(({ kind }) => kind === "host");
  const rules = [...options.rules, ...granted.map(({ value }) => parseHostRule(value))];
  return new ForwardProxy({ ...options, rules });
}

export class ForwardProxy implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #password = randomId(32);
  readonly #credentials = btoa(`${USER}:${this.#password}`);
  readonly #limits: ProxyLimits;
  readonly #access: ProxyAccess;
  readonly #refusals = new Refusals();
  readonly #connections = new Set<ProxyConnection>();
  readonly #work = new Set<Promise<void>>();
  /** Each `allow()` has an entry of its own: two of the same rule end apart. */
  readonly #rules = new Set<{ rule: HostRule }>();
  #sweep: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(options: Omit<ForwardProxyOptions, "grants">) {
    this.#limits = { ...LIMITS, ...options.limits };
    for (const rule of options.rules) this.#rules.add({ rule });
    this.#access = {
      network: {
        ...SYSTEM_NETWORK,
        ...options.resolve && { resolve: options.resolve },
        ...options.network,
      },
      ownPort: this.port,
      isAuthorized: (given = "") =>
        /^basic /i.test(given) && isEqualSecret(given.slice(6), this.#credentials),
      rules: () => this.rules(),
      onRefused: (target, message) => {
        const refusal = this.#refusals.add(target, `hermes: ${message}`);
        options.onRefused?.(refusal);
      },
    };
    this.#track(this.#accept());
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** `http://USER:PASSWORD@127.0.0.1:PORT`: a secret of the session's commands. */
  get url(): string {
    return `http://${USER}:${this.#password}@127.0.0.1:${this.port}`;
  }

  /** For redaction. */
  get password(): string {
    return this.#password;
  }

  /** How many clients are connected. */
  get connections(): number {
    return this.#connections.size;
  }

  /** What is allowed now. */
  rules(): HostRule[] {
    return Array.from(this.#rules, ({ rule }) => rule);
  }

  /**
   * Allows more from now on. `once` is for one command: disposing of the result takes the rule back
   * and closes the connections that no other rule allows. `session` stays; its result does nothing.
   */
  allow(rule: HostRule, scope: AllowScope): Disposable {
    const entry = { rule };
    this.#rules.add(entry);
    return {
      [Symbol.dispose]: () => {
        if (scope === "once" && this.#rules.delete(entry)) this.#closeUnlisted();
      },
    };
  }

  /** What was refused since the last `takeRefusals()`, in order, one entry for each host. */
  refusals(): Refusal[] {
    return this.#refusals.list();
  }

  /** The refusals so far, which are then forgotten, and how many of further hosts there were. */
  takeRefusals(): { refusals: Refusal[]; others: number } {
    const taken = { refusals: this.#refusals.list(), others: this.#refusals.others };
    this.#refusals.clear();
    return taken;
  }

  /** Stops listening, closes every connection and waits until their work has ended. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#listener.close();
      for (const connection of this.#connections) connection.close();
    }
    while (this.#work.size > 0) await Promise.all(this.#work);
    clearInterval(this.#sweep);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    work.finally(() => this.#work.delete(work));
  }

  async #accept(): Promise<void> {
    while (!this.#closed) {
      let client: Deno.TcpConn;
      try {
        client = await this.#listener.accept();
      } catch {
        // Closed, which the loop's condition sees, or no descriptor is free.
        if (!this.#closed) await new Promise((done) => setTimeout(done, ACCEPT_PAUSE_MS));
        continue;
      }
      if (this.#connections.size >= this.#limits.connections) this.#turnAway(client);
      else this.#track(this.#serve(client));
    }
  }

  /** One write into an empty socket buffer does not wait, and nothing is read. */
  #turnAway(client: Deno.TcpConn): void {
    const answer = proxyAnswer(503, "hermes: too many connections through the proxy at once");
    this.#track(
      client.write(answer).then(() => {}, () => {
        // The client left: nobody is there to read the answer.
      }).finally(() => client.close()),
    );
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const connection = new ProxyConnection(client, { access: this.#access, limits: this.#limits });
    this.#connections.add(connection);
    this.#sweep ??= setInterval(() => this.#expire(), SWEEP_MS);
    await connection.serve();
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #expire(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) connection.expire(nowMs);
  }

  #closeUnlisted(): void {
    const rules = this.rules();
    for (const connection of this.#connections) {
      const { target } = connection;
      if (target !== undefined && ruleFor(rules, target) === undefined) connection.close();
    }
  }
}
