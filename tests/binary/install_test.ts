/** `install.sh` against a release on 127.0.0.1, in a home of its own. */
import assert from "node:assert/strict";
import { platformName } from "../../src/util/runtime.ts";
import { nextVersion, type ReleaseServer, serveRelease } from "./release_server.ts";
import { bareMachine, type Machine, type Outcome, ROOT, run } from "./support.ts";

interface Installation {
  machine: Machine;
  release: ReleaseServer;
  installer(args: string[], options?: { env?: Record<string, string> }): Promise<Outcome>;
}

async function withRelease(
  body: (installation: Installation) => Promise<void>,
  options?: { ownPrograms: boolean },
): Promise<void> {
  await using machine = await bareMachine(options);
  await using release = await serveRelease("9.8.7", nextVersion("9.8.7"));
  await body({
    machine,
    release,
    installer: (args, options = {}) =>
      run(["sh", `${ROOT}/scripts/install.sh`, ...args], {
        env: { ...machine.env, HERMES_RELEASES_URL: release.url, ...options.env },
      }),
  });
}

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
}

Deno.test("install.sh installs without root and says how to use it by name", async () => {
  await withRelease(async ({ machine, installer }) => {
    const bin = `${machine.home}/.local/bin`;
    const outcome = await installer([], { env: { SHELL: "/bin/zsh" } });
    assert.deepEqual(outcome, {
      code: 0,
      stdout: `hermes 9.8.7 is installed: ${bin}/hermes
To use it by name, add this to $HOME/.zshrc:
  export PATH="${bin}:$PATH"
`,
      stderr: "",
    });
    assert.deepEqual(await names(bin), ["hermes"]);
    assert.equal((await Deno.stat(`${bin}/hermes`)).mode! & 0o777, 0o755);
    const again = await installer([], { env: { PATH: `${machine.path}:${bin}` } });
    assert.equal(again.stdout, `hermes 9.8.7 is installed: ${bin}/hermes\n`);
  });
});

Deno.test("install.sh works from a pipe, with wget, for a version, into a directory", async () => {
  await withRelease(async ({ machine, release }) => {
    await Deno.remove(`${machine.path}/curl`);
    const script = await Deno.readTextFile(`${ROOT}/scripts/install.sh`);
    const args = ["--from", release.url, "--version", "v9.8.7", "--dir", "tools"];
    const outcome = await run(["sh", "-s", "--", ...args], { env: machine.env, stdin: script });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.deepEqual(await names(`${machine.home}/tools`), ["hermes"]);
    assert.ok(release.asked.every((path) => path.startsWith("/releases/download/v9.8.7/")));
  }, { ownPrograms: true });
});

Deno.test("install.sh refuses what is not the released file and keeps what was there", async () => {
  await withRelease(async ({ machine, release, installer }) => {
    const bin = `${machine.home}/.local/bin`;
    await Deno.mkdir(bin, { recursive: true });
    await Deno.writeTextFile(`${bin}/hermes`, "the old one");
    release.files.set(`hermes-${platformName()}`, nextVersion("6.6.6"));
    const outcome = await installer([]);
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /^install: hermes-\S+ is damaged or not what was released; /);
    assert.deepEqual(await names(bin), ["hermes"]);
    assert.equal(await Deno.readTextFile(`${bin}/hermes`), "the old one");
  });
});

Deno.test("install.sh answers what it cannot do in one line", async () => {
  await withRelease(async ({ machine, release, installer }) => {
    const fails = async (args: string[], line: RegExp, env: Record<string, string> = {}) => {
      const outcome = await installer(args, { env });
      assert.equal(outcome.code, 1, args.join(" "));
      assert.match(outcome.stderr.split("\n").at(-2)!, line);
    };
    await fails(["--nonsense"], /^install: unknown option --nonsense; see --help$/);
    await fails(["--dir"], /^install: --dir needs a value$/);
    await fails(["--version", "1.2.3"], /^install: cannot download \S+\/v1\.2\.3\/SHA256SUMS$/);
    await fails(["--dir", "/proc/self/x"], /^install: cannot write to .+; choose another/);
    await fails([], /^install: name the address of the releases: --from URL$/, {
      HERMES_RELEASES_URL: "@RELEASES_URL@",
    });
    for (const url of ["http://example.com/x", "http://127.0.0.1.example.com/x"]) {
      await fails(["--from", url], /^install: the address of the releases must begin with https/);
    }
    release.files.set("SHA256SUMS", new Uint8Array());
    await fails([], /^install: the release has no hermes-/);
    for (const name of ["curl", "wget"]) await Deno.remove(`${machine.path}/${name}`);
    await fails([], /^install: curl or wget is needed$/);
    await Deno.remove(`${machine.path}/uname`);
    await Deno.writeTextFile(`${machine.path}/uname`, "#!/bin/sh\necho Plan9\n", { mode: 0o755 });
    await fails([], /^install: there is no executable for Plan9$/);
  }, { ownPrograms: true });
});

Deno.test("install.sh --uninstall removes the program, and the rest only when asked", async () => {
  await withRelease(async ({ machine, installer }) => {
    await installer([]);
    const cache = `${machine.home}/.cache/hermes/bin`;
    await Deno.mkdir(cache, { recursive: true });
    await Deno.mkdir(`${machine.home}/.hermes`);
    const temporary = `${machine.home}/tmp`;
    await Deno.mkdir(`${temporary}/hermes-${Deno.uid()}/copy`, { recursive: true });
    const outcome = await installer(["--uninstall"], { env: { TMPDIR: temporary } });
    assert.match(outcome.stdout, /^hermes is removed; sessions and settings stay in /);
    assert.deepEqual(await names(`${machine.home}/.local/bin`), []);
    assert.deepEqual(await names(`${machine.home}/.cache/hermes`), []);
    assert.deepEqual(await names(temporary), []);
    assert.ok(await Deno.stat(`${machine.home}/.hermes`));
    for (const home of [machine.home, `${machine.home}/`, `${machine.home}/..`, "/"]) {
      const refused = await installer(["--uninstall", "--purge"], { env: { HERMES_HOME: home } });
      assert.equal(refused.code, 1, home);
      assert.match(refused.stderr, /^install: \S+ holds more than hermes/);
      assert.ok((await names(machine.home)).includes(".hermes"), home);
    }
    assert.equal((await installer(["--uninstall", "--purge"])).code, 0);
    assert.ok(!(await names(machine.home)).includes(".hermes"));
  });
});
