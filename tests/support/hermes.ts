/**
 * Runs hermes as a person would: its own process, its own home, nothing inherited. The artefact
 * under test is the executable that `HERMES_BIN` names, or the bundle that a run of the whole
 * suite makes (`scripts/test_bundle.ts`), or `main.ts`.
 */

/** Names the bundle to the tests of one run. */
export const TEST_BUNDLE = "HERMES_TEST_BUNDLE";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

export interface RunOptions {
  home: string;
  args: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
  /** Text on standard input; absent means none (`/dev/null`). */
  stdin?: string | Uint8Array;
  /** Runs `main.ts`, whatever else is under test. */
  fromSource?: boolean;
}

export interface RunOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command line of the artefact under test. */
export function hermesCommand(args: readonly string[]): { command: string; args: string[] } {
  const binary = Deno.env.get("HERMES_BIN") || Deno.env.get(TEST_BUNDLE);
  return binary ? { command: binary, args: [...args] } : sourceCommand(args);
}

/** The command line that runs hermes from the sources. */
function sourceCommand(args: readonly string[]): { command: string; args: string[] } {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "-q", "--no-prompt", "--no-check", `${ROOT}/main.ts`, ...args],
  };
}

/** What hermes sees of the environment in tests. */
export function testEnv(home: string): Record<string, string> {
  const denoDir = Deno.env.get("DENO_DIR");
  return {
    HOME: home,
    HERMES_HOME: `${home}/.hermes`,
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    DENO_DIR: denoDir ?? `${Deno.env.get("HOME")}/.cache/deno`,
    NO_COLOR: "1",
    LANG: "C.UTF-8",
    // The portable executable unpacks once, not once per home.
    HERMES_BIN_CACHE: `${ROOT}/dist/cache/unpacked`,
  };
}

/** Starts hermes with pipes; the caller waits for it. */
export function startHermes(options: RunOptions): Deno.ChildProcess {
  const { command, args } = (options.fromSource ? sourceCommand : hermesCommand)(options.args);
  return new Deno.Command(command, {
    args,
    cwd: options.cwd ?? options.home,
    env: { ...testEnv(options.home), ...options.env },
    clearEnv: true,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs hermes to its end. */
export async function runHermes(options: RunOptions): Promise<RunOutcome> {
  const child = startHermes(options);
  const fed = options.stdin === undefined ? undefined : feed(child, options.stdin);
  const { code, stdout, stderr } = await child.output();
  await fed;
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function feed(child: Deno.ChildProcess, text: string | Uint8Array): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    await writer.write(typeof text === "string" ? new TextEncoder().encode(text) : text);
    await writer.close();
  } catch {
    // A program that refuses its input early closes the pipe; its exit code tells the story.
  }
}

/** A home directory that is removed at the end of its scope. */
export async function tempHome(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "hermes-test-" });
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true });
    },
  };
}
