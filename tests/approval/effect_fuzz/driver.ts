/**
 * The driver inside the throw-away container: refuses to work unless it is isolated, then
 * executes one command per input line as an unprivileged user, and answers with what changed.
 * Started by `enter.sh` only; arguments are the user id and the machine's `HostFacts`.
 */
import { COMMIT_DIRECTORY, shownBytes, Tree } from "./driver_tree.ts";
import { Listeners } from "./driver_net.ts";
import { CONTENT_LIMIT, HOME, type HostFacts, type Observation } from "./protocol.ts";
import type { Ready, Refused, RunRequest } from "./protocol.ts";

/** Commands that take longer are killed. */
const LIMIT_MS = 1_200;
/** What goes on after the shell has ended may take this long to have its effect. */
const AFTERMATH_MS = 150;
/** Memory in KiB, processor seconds. */
const LIMITS = "ulimit -v 2000000 -t 3";
const PATH = `${HOME}/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
const ENTRIES = new Set(
  ("usr etc proc dev driver driver-cache deno bin sbin lib lib32 lib64 libx32 home var opt srv boot " +
    "root tmp mnt media run canary").split(" "),
);

/** The reason why this process is not isolated well enough, or undefined. */
function findLeak(facts: HostFacts): string | undefined {
  if (exists(facts.marker)) return `a file of the machine is visible: ${facts.marker}`;
  for (const [name, id] of Object.entries(facts.namespaces)) {
    if (Deno.readLinkSync(`/proc/self/ns/${name}`) === id) return `the ${name} namespace is shared`;
  }
  const strange = [...Deno.readDirSync("/")].find(({ name }) => !ENTRIES.has(name));
  if (strange) return `the root directory has ${strange.name}`;
  const devices = Deno.readTextFileSync("/proc/net/dev").split("\n").slice(2)
    .map((line) => line.split(":")[0]!.trim()).filter((name) => name !== "" && name !== "lo");
  if (devices.length > 0) return `network devices: ${devices.join(" ")}`;
  const caps = statusField("self", "CapBnd");
  // chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service
  if ((BigInt(`0x${caps}`) & ~0x5fbn) & ~(1n << 10n)) return `capabilities are left: ${caps}`;
  return findWritableMount();
}

/** Mounts that are writable must be the container's own memory. */
function findWritableMount(): string | undefined {
  for (const line of Deno.readTextFileSync("/proc/self/mountinfo").split("\n")) {
    if (line === "") continue;
    const [left = "", right = ""] = line.split(" - ");
    const [, , , , at = "", options = ""] = left.split(" ");
    const [kind = ""] = right.split(" ");
    const isDevice = /^\/dev\/(?:null|zero|full|u?random)$/.test(at);
    if (options.split(",").includes("ro") || kind === "tmpfs" || isDevice) continue;
    return `${at} is a writable ${kind}`;
  }
  return undefined;
}

function statusField(pid: string, field: string): string {
  const text = Deno.readTextFileSync(`/proc/${pid}/status`);
  return new RegExp(`^${field}:\\s*(.*)$`, "m").exec(text)?.[1] ?? "";
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The shell as the local environment starts it: the command is evaluated, aliases are on. */
function shellArguments(command: string, uid: number): string[] {
  // Not as a positional parameter: the command could read its own text from there.
  const quoted = `'${command.replaceAll("'", "'\\''")}'`;
  return [
    ...["--reuid", `${uid}`, "--regid", `${uid}`, "--clear-groups", "--no-new-privs"],
    ...["--bounding-set=-all", "--inh-caps=-all"],
    ...["/usr/bin/bash", "-c", `${LIMITS}; shopt -s expand_aliases; exec 2>&1; eval ${quoted}`],
  ];
}

class Driver {
  readonly #uid: number;
  readonly #tree: Tree;
  readonly #listeners = new Listeners();

  constructor(uid: number) {
    this.#uid = uid;
    this.#tree = new Tree(uid);
  }

  async prepare(): Promise<Ready> {
    this.#tree.writeCommitted();
    const git =
      "git init -q -b main --template= && git add -A && git -c user.name=Me -c user.email=me@example.com commit -qm first && " +
      "git branch feature && git tag v1 && git checkout -qb wip && " +
      "git -c user.name=Me -c user.email=me@example.com commit -q --allow-empty -m unmerged && " +
      "git checkout -q main && rm -f .git/ORIG_HEAD && mkdir .git/hooks .git/info && " +
      "git remote add origin http://git.example.com/project.git";
    const { code, output } = await this.#execute(git, COMMIT_DIRECTORY);
    if (code !== 0) throw new Error(`git cannot make the first commit: ${output}`);
    this.#tree.writeRest();
    const probe = await this.#execute(
      "grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr -d '\\t'",
      HOME,
    );
    const wanted = `Uid:${`${this.#uid}`.repeat(4)}\nCapEff:${"0".repeat(16)}\n` +
      `CapBnd:${"0".repeat(16)}\nNoNewPrivs:1`;
    if (probe.output.trim() !== wanted) throw new Error(`commands have rights: ${probe.output}`);
    this.#listeners.start();
    return { ready: true, uid: this.#uid, files: this.#tree.size };
  }

  async run({ id, command, cwd, limitMs }: RunRequest): Promise<Observation> {
    const done = await this.#execute(command, cwd, limitMs);
    await this.#listeners.settle();
    const received = this.#listeners.take();
    return { id, ...done, received, changes: this.#tree.takeChanges() };
  }

  async #execute(command: string, cwd: string, limitMs = LIMIT_MS) {
    const child = new Deno.Command("/usr/bin/setpriv", {
      // A shell that reads a script skips NUL bytes; arguments cannot hold them.
      args: shellArguments(command.replaceAll("\0", ""), this.#uid),
      cwd,
      clearEnv: true,
      env: { PATH, HOME, USER: "me", SHELL: "/bin/bash", LANG: "C.UTF-8", TERM: "dumb" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const output: string[] = [];
    const reading = Promise.all([collect(child.stdout, output), collect(child.stderr, output)]);
    let code: number | undefined;
    const ended = child.status.then((status) => code = status.code);
    await within(ended, limitMs);
    const isKilled = code === undefined;
    const survivors = isKilled ? [] : await this.#aftermath();
    await this.#killAll();
    await ended;
    await reading;
    const text = output.join("").slice(0, CONTENT_LIMIT);
    return { code: isKilled ? undefined : code, output: text, survivors };
  }

  /** Gives background jobs and open connections a moment; returns what still runs then. */
  async #aftermath(): Promise<string[]> {
    const deadline = performance.now() + AFTERMATH_MS;
    while (performance.now() < deadline) {
      if (this.#processes().length === 0) return [];
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.#processes().map((pid) => commandLine(pid)).filter((line) => line !== "");
  }

  async #killAll(): Promise<void> {
    for (let round = 0; this.#processes().length > 0; round++) {
      if (round > 400) throw new Error("processes cannot be killed");
      for (const pid of this.#processes()) {
        try {
          Deno.kill(Number(pid), "SIGKILL");
        } catch {
          // Ended by itself.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Processes of the user who runs the commands, zombies left out. */
  #processes(): string[] {
    const own: string[] = [];
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        if (!statusField(name, "Uid").startsWith(`${this.#uid}\t`)) continue;
        if (!statusField(name, "State").startsWith("Z")) own.push(name);
      } catch {
        // Ended while being looked at.
      }
    }
    return own;
  }
}

function commandLine(pid: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

async function collect(stream: ReadableStream<Uint8Array>, into: string[]): Promise<void> {
  let kept = 0;
  for await (const chunk of stream) {
    if (kept < CONTENT_LIMIT) into.push(shownBytes(chunk));
    kept += chunk.length;
  }
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise((resolve) => timer = setTimeout(resolve, limitMs));
  await Promise.race([work, limit]);
  clearTimeout(timer);
}

const encoder = new TextEncoder();

function say(message: Ready | Refused | Observation): void {
  const bytes = encoder.encode(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

async function main(): Promise<void> {
  const uid = Number(Deno.args[0]);
  const leak = findLeak(JSON.parse(Deno.args[1] ?? "{}") as HostFacts);
  if (leak !== undefined || !(uid > 1000)) {
    say({ refused: leak ?? "no user id" });
    Deno.exit(1);
  }
  const driver = new Driver(uid);
  say(await driver.prepare());
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const requests = (rest + text).split("\n");
    rest = requests.pop()!;
    for (const request of requests) say(await driver.run(JSON.parse(request) as RunRequest));
  }
  Deno.exit(0);
}

if (import.meta.main) await main();
