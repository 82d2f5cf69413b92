/** `hermes update` of the installed artefact against a release on 127.0.0.1. */
import assert from "node:assert/strict";
import { VERSION } from "../../src/util/version.ts";
import { platformName } from "../../src/util/runtime.ts";
import { runHermes } from "../support/hermes.ts";
import { nextVersion, type ReleaseServer, serveRelease } from "./release_server.ts";
import {
  artefact,
  bareMachine,
  copyProgram,
  type Outcome,
  run,
  skip,
  writeProgram,
} from "./support.ts";

interface Installed {
  path: string;
  release: ReleaseServer;
  update(args: string[]): Promise<Outcome>;
  /** What the installed program calls itself. */
  version(): Promise<string>;
}

async function withInstalled(
  next: { version: string; bytes?: Uint8Array<ArrayBuffer> },
  body: (installed: Installed) => Promise<void>,
): Promise<void> {
  await using machine = await bareMachine();
  await using release = await serveRelease(next.version, next.bytes ?? nextVersion(next.version));
  const path = `${machine.home}/hermes`;
  await copyProgram(await artefact(), path);
  const hermes = (args: string[]) => run([path, ...args], { env: machine.env });
  await body({
    path,
    release,
    update: (args) => hermes(["update", "--from", release.url, ...args]),
    version: async () => (await hermes(["--version"])).stdout.trim(),
  });
}

Deno.test("hermes update replaces the executable and keeps the one before", async () => {
  await withInstalled({ version: "99.0.0" }, async ({ path, update, version }) => {
    const check = await update(["--check", "--json"]);
    assert.deepEqual(JSON.parse(check.stdout), {
      current: VERSION,
      latest: "99.0.0",
      update: true,
    });
    const before = await Deno.readFile(path);
    const link = `${path}-link`;
    await Deno.symlink(path, link);
    const outcome = await update([]);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(
      outcome.stdout,
      / is hermes 99\.0\.0 now \(was .+\); back: hermes update --rollback\n/,
    );
    assert.equal(await version(), "hermes 99.0.0");
    assert.deepEqual(await Deno.readFile(`${path}.old`), before);
    assert.ok((await Deno.lstat(link)).isSymlink);
  });
});

Deno.test("hermes update leaves the newest version alone unless a version is named", async () => {
  await withInstalled({ version: "0.0.1" }, async ({ update, version, release }) => {
    assert.equal((await update([])).stdout, `hermes ${VERSION} is the newest version\n`);
    assert.ok(!release.asked.some((path) => path.includes("hermes-")));
    assert.equal((await update(["--to", "v0.0.1"])).code, 0);
    assert.equal(await version(), "hermes 0.0.1");
  });
});

Deno.test("hermes update changes nothing when anything is wrong", async () => {
  const broken = new TextEncoder().encode("#!/bin/sh\necho no >&2; exit 3\n");
  await withInstalled({ version: "99.0.0", bytes: broken }, async (installed) => {
    const { path, update, release } = installed;
    const before = await Deno.readFile(path);
    const refuses = async (line: RegExp, args: string[] = []) => {
      const outcome = await update(args);
      assert.notEqual(outcome.code, 0);
      assert.match(outcome.stderr, line);
      assert.deepEqual(await Deno.readFile(path), before);
    };
    await refuses(/the other version does not start here: no\n {2}Nothing was changed\./);
    release.files.set(`hermes-${platformName()}`, nextVersion("6.6.6"));
    await refuses(/is not the file the release names: its SHA-256 is /);
    release.files.delete(`hermes-${platformName()}`);
    await refuses(/cannot download .+: status 404/);
    release.files.set("manifest.json", new TextEncoder().encode('{"version":"x"}'));
    await refuses(/the release's manifest\.json makes no sense/);
    await refuses(/there is no earlier version to go back to/, ["--rollback"]);
    const left = await Array.fromAsync(Deno.readDir(path.slice(0, -"/hermes".length)));
    assert.ok(!left.some(({ name }) => name.startsWith("hermes.")), "nothing is left behind");
  });
});

Deno.test("hermes update --rollback brings the version of before back", async () => {
  await withInstalled({ version: "99.0.0" }, async ({ path, update, version }) => {
    await writeProgram(`${path}.old`, nextVersion("0.0.9"));
    const outcome = await update(["--rollback"]);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(await version(), "hermes 0.0.9");
  });
});

Deno.test("hermes update refuses politely from source", async () => {
  if (Deno.env.get("HERMES_BIN")) return skip("HERMES_BIN is set: there is no source to run");
  const home = await Deno.makeTempDir({ prefix: "hermes-update-" });
  try {
    const outcome = await runHermes({ home, args: ["update"] });
    assert.equal(outcome.code, 2);
    assert.match(
      outcome.stderr,
      /runs from source here.+\n {2}Update the source instead: git pull/,
    );
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
