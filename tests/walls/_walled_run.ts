/**
 * `[--without-namespaces] --sandbox MODE [--network WORDS] -- CMD …`: runs a command behind the
 * walls of a session in this process, so that tests can leave walls out which the command line
 * cannot. What the command leaves running is left alone.
 */
import { resolveHome } from "../../src/config/home.ts";
import { loadSettings } from "../../src/config/load.ts";
import { commandEnvironment, withVariables } from "../../src/process/child_environment.ts";
import { spawnChild } from "../../src/process/spawn.ts";
import { SessionWalls } from "../../src/session/session_walls.ts";

const cut = Deno.args.indexOf("--");
const flags = Deno.args.slice(0, cut);
const argv = Deno.args.slice(cut + 1);

function flag(name: string): string | undefined {
  const at = flags.indexOf(name);
  return at < 0 ? undefined : flags[at + 1];
}

const env = Deno.env.toObject();
const userHome = env.HOME!;
const cwd = Deno.cwd();
const settings = await loadSettings({
  home: resolveHome({ env }),
  env,
  overrides: { "terminal.sandbox": flag("--sandbox"), "terminal.network": flag("--network") },
});
const directory = await Deno.makeTempDir({ prefix: `hermes-env-${Deno.pid}-` });
const walls = new SessionWalls({
  policy: (facts) => Promise.resolve({ settings, cwd, userHome, env, ...facts }),
  required: false,
  keptDir: settings.home.path("cache", "kept"),
  isBusy: () => false,
  notice: (line) => console.error(line),
  withoutNamespaces: flags.includes("--without-namespaces"),
});
const raised = settings.config.terminal.sandbox === "off"
  ? undefined
  : await walls.raise(directory);
raised?.begin();
const child = spawnChild({
  // Behind a view of its own, the directory is entered anew, as every shell of a session does.
  argv: ["/bin/sh", "-c", 'cd "$0" && exec "$@"', cwd, ...argv],
  env: withVariables(commandEnvironment(env, { pass: [], home: userHome }), raised?.env ?? {}),
  cwd,
  group: "session",
  launcher: raised?.launcher,
  stdout: "inherit",
  stderr: "inherit",
});
const { code } = await child.status;
raised?.end({ output: "", exitCode: code, cwd });
await walls.close();
await Deno.remove(directory, { recursive: true });
Deno.exit(code);
