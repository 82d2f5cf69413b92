/**
 * What differs between builds: from source, bundled in the portable executable, or compiled.
 * Everything else asks here how to start another hermes and which file the user installed.
 */

export interface SelfCommand {
  command: string;
  args: string[];
}

export type BuildKind = "source" | "portable" | "compiled";

/**
 * How the portable executable starts its Deno: nothing is asked, fetched or configured from
 * outside. `--no-config` drops deno.json, so its unstable features are named again.
 */
export const PORTABLE_FLAGS: readonly string[] = [
  "run",
  "-A",
  "-q",
  "--no-config",
  "--no-lock",
  "--no-prompt",
  "--no-remote",
  "--no-npm",
  "--unstable-no-legacy-abort",
];

/**
 * Shortens the way to the first request: no collection of young garbage before it (5 ms) nor in
 * the tool turns of a short run (6 % of them), and every function in the code cache, not only
 * those that ran while their module loaded (7 ms). V8 looks at types from the second call on, not
 * the eighth, which makes the first tool turns 4 % faster. Apart from the other flags, because a
 * child may need V8 flags of its own.
 */
export const STARTUP_V8_FLAGS = "--v8-flags=" + [
  "--min-semi-space-size=16",
  "--no-lazy",
  "--invocation-count-for-feedback-allocation=2",
].join(",");

/** The program that runs: what took its place when it was replaced, which the system marks. */
export function executablePath(): string {
  return Deno.execPath().replace(/ \(deleted\)$/, "");
}

/** True in a `deno compile` executable, which is its own program and has no `deno run`. */
export function isStandalone(): boolean {
  return Deno.build.standalone;
}

export function buildKind(): BuildKind {
  if (isStandalone()) return "compiled";
  return portableRoot() === undefined ? "source" : "portable";
}

/** The file the user installed and may replace; undefined when hermes runs from source. */
export function installedFile(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  switch (buildKind()) {
    case "compiled":
      return executablePath();
    case "portable":
      return env.HERMES_SELF;
    case "source":
      return undefined;
  }
}

/** Written in by a release build (`scripts/build_app.ts`). */
declare const HERMES_RELEASES_URL: string | undefined;

/** Where releases of this build are published; undefined in a build made by hand. */
export function releasesUrl(): string | undefined {
  return typeof HERMES_RELEASES_URL === "undefined" ? undefined : HERMES_RELEASES_URL;
}

/** The name of this platform in file names of releases. */
export function platformName(): string {
  return `${Deno.build.os}-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;
}

/** The program and arguments that run hermes again with `args`; `main` is another copy of its main module. */
export function selfCommand(args: readonly string[], main: string = mainModule()): SelfCommand {
  const command = executablePath();
  if (isStandalone()) return { command, args: [...args] };
  const flags = portableRoot() === undefined ? ["run", "-A", "-q", "--no-prompt"] : PORTABLE_FLAGS;
  return { command, args: [...flags, main, ...args] };
}

/** How every Deno that hermes starts is set up: no calls home, no `node` command made of it. */
export const DENO_SETTINGS: Readonly<Record<string, string>> = {
  DENO_NO_UPDATE_CHECK: "1",
  DENO_DISABLE_NODE_SHIM: "1",
};

/**
 * Where the portable executable was unpacked: `deno`, `app/` and `cache/`, which is for hermes'
 * own process alone. Undefined in other builds.
 */
export function portableRoot(): string | undefined {
  const path = decodeURIComponent(new URL(Deno.mainModule).pathname);
  if (!path.endsWith("/app/main.js")) return undefined;
  const root = path.slice(0, -"/app/main.js".length);
  return executablePath() === `${root}/deno` ? root : undefined;
}

/** A test runner or script is not hermes: from there `main.ts` is found beside `src`. */
function mainModule(): string {
  if (/\/main\.[jt]s$/.test(Deno.mainModule)) return Deno.mainModule;
  return new URL("../../main.ts", import.meta.url).href;
}
