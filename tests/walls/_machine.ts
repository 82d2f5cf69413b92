/**
 * What the tests of the walls need of the machine: programs outside of anybody's home, since
 * homes of others are hidden behind the walls, and what hermes needs to run as another user.
 */
import { exists } from "../../src/util/exists.ts";
import { hermesCommand, testEnv } from "../support/hermes.ts";
import { asUser, NOBODY, plainRun, type WallsUser } from "./_sandbox_run.ts";

/** Homes of people; programs below them would be hidden, because the tests have another home. */
const HOMES = /^\/(?:root|home|Users)(?:\/|$)/;

/** Of the range for tests of devices: no machine has it. */
const TEST_ADDRESS = "198.18.0.1";

export interface Machine {
  /** Everything that is made here; removed by `close`. */
  directory: string;
  /** The search path without anybody's home. */
  path: string;
  isRoot: boolean;
  /** An IPv4 address of this machine outside the loopback network. */
  otherAddress?: string;
  /** Why nothing can run as a user without rights; absent where that works. */
  noNobody?: string;
  /** More variables for hermes as `user`. */
  env(user?: WallsUser): Record<string, string>;
  /** The programs among `needs` that are not there. */
  missing(needs: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

export async function openMachine(): Promise<Machine> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "walls-" }));
  await Deno.chmod(directory, 0o755);
  const kept = (Deno.env.get("PATH") ?? "/usr/bin:/bin").split(":")
    .filter((entry) => entry.startsWith("/") && !HOMES.test(entry));
  const rust = await linkRust(directory);
  const path = [...new Set([...rust === undefined ? [] : [rust], ...kept])].join(":");
  const isRoot = Deno.uid() === 0;
  const machine: Machine = {
    directory,
    path,
    isRoot,
    env: (user) => ({
      PATH: path,
      ...user === "nobody" ? { DENO_DIR: `${directory}/deno` } : {},
    }),
    async missing(needs) {
      const found: string[] = [];
      for (const name of needs) if (!await isThere(name, machine)) found.push(name);
      return found;
    },
    close: () => Deno.remove(directory, { recursive: true }),
  };
  const reason = await prepareNobody(machine);
  if (reason !== undefined) machine.noNobody = reason;
  const address = await otherAddress(machine);
  if (address !== undefined) machine.otherAddress = address;
  return machine;
}

/** In a network of nothing but loopback, root can add an address that looks like another's. */
async function otherAddress({ isRoot, path }: Machine): Promise<string | undefined> {
  const all = Deno.networkInterfaces();
  const found = all.find(({ family, address }) => family === "IPv4" && !address.startsWith("127."));
  if (found !== undefined) return found.address;
  if (!isRoot || all.some(({ name }) => name !== "lo")) return undefined;
  try {
    await plainRun(["ip", "address", "add", `${TEST_ADDRESS}/32`, "dev", "lo"], {
      env: { PATH: path },
    });
    return TEST_ADDRESS;
  } catch {
    return undefined; // Rows that need one say that there is none.
  }
}

async function isThere(name: string, machine: Machine): Promise<boolean> {
  for (const entry of machine.path.split(":")) {
    if (await exists(`${entry}/${name}`)) return true;
  }
  return false;
}

/**
 * The directory of rustc and cargo themselves when they are below a home: the files are linked
 * to a place that is nobody's home.
 */
async function linkRust(directory: string): Promise<string | undefined> {
  try {
    const env = Deno.env.toObject();
    const root = (await plainRun(["rustc", "--print", "sysroot"], { env })).trim();
    if (!HOMES.test(root)) return undefined;
    await Deno.mkdir(`${directory}/rust`);
    const parts = ["bin", "lib", "libexec"].map((name) => `${root}/${name}`);
    const there: string[] = [];
    for (const part of parts) if (await exists(part)) there.push(part);
    // Linking takes no space; the links that rustup makes of a directory are followed.
    await plainRun(["cp", "-rlL", ...there, `${directory}/rust/`], { env });
    return `${directory}/rust/bin`;
  } catch {
    return undefined; // No Rust, or another file system: the rows say that cargo is missing.
  }
}

/** Makes what hermes needs as the user without rights; why that is not possible. */
async function prepareNobody(machine: Machine): Promise<string | undefined> {
  if (!machine.isRoot) return "only root can become another user";
  if (!await isThere("setpriv", machine)) return "setpriv is missing";
  const env: Record<string, string> = { ...testEnv("/"), PATH: machine.path };
  const own = `${machine.directory}/deno`;
  try {
    await Deno.mkdir(own);
    if (await exists(`${env.DENO_DIR}/npm`)) {
      await plainRun(["cp", "-rl", `${env.DENO_DIR}/npm`, `${own}/npm`], { env });
    }
    await Deno.chown(own, NOBODY, NOBODY);
    const { command, args } = hermesCommand(["--version"]);
    await plainRun([...asUser("nobody"), command, ...args], {
      env: { ...env, DENO_DIR: own },
      cwd: "/",
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split("\n", 1)[0] : `${error}`;
  }
}

/** A port that was free a moment ago, for servers that cannot choose one themselves. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
