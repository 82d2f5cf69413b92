/** How the portable executable unpacks itself when everything goes wrong at once. */
import assert from "node:assert/strict";
import { VERSION } from "../../src/util/version.ts";
import { seenPaths } from "../support/seen_paths.ts";
import { bareMachine, copyProgram, type Outcome, run, skip, writeProgram } from "./support.ts";
import { linuxTest, onLinux, realTest, type Unpacking, unpackTest } from "./unpacking.ts";

/** How long one run lets another unpack before it does so itself. */
const HOLDER_WAIT_MS = 60_000;

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
}

function assertVersion(outcome: { code: number; stdout: string; stderr: string }): void {
  assert.deepEqual(outcome, { code: 0, stdout: `hermes ${VERSION}\n`, stderr: "" });
}

/** A version nothing runs any more, unpacked an hour ago. */
async function addOldVersion(cache: string, name: string): Promise<string> {
  const old = `${cache}/${name}`;
  await Deno.mkdir(`${old}/app`, { recursive: true });
  await Deno.writeTextFile(`${old}/app/main.js`, "");
  await copyProgram("/bin/sleep", `${old}/deno`);
  await age(old);
  return old;
}

async function age(path: string): Promise<void> {
  const then = new Date(Date.now() - 3600_000);
  await Deno.utime(path, then, then);
}

realTest("unpacks once for eight first runs at once, then needs no PATH", async (place) => {
  const { binary, cache, env } = place;
  await Deno.mkdir(cache, { recursive: true });
  let outcomes: Outcome[] = [];
  const seen = await seenPaths(cache, async () => {
    outcomes = await Promise.all(
      Array.from({ length: 8 }, () => run([binary, "--version"], { env })),
    );
  });
  outcomes.forEach(assertVersion);
  const begun = [...seen].filter((path) => path.includes("/.hermes-new."));
  assert.equal(begun.length, 1, "the others waited for the first");
  const left = await names(cache);
  assert.equal(left.length, 1, `left in the cache: ${left}`);
  assert.deepEqual(await names(`${cache}/${left[0]}`), ["app", "cache", "deno"]);
  assertVersion(await run([binary, "--version"], { env: { ...env, PATH: "/nowhere" } }));
});

/** Changes the unpacked program; a plain edit leaves a new time behind, a careful one does not. */
async function tamper(unpacked: string, how: "plainly" | "carefully"): Promise<void> {
  const file = `${unpacked}/app/main.js`;
  const { mtime } = await Deno.stat(file);
  const text = await Deno.readTextFile(file);
  await Deno.chmod(file, 0o600);
  const isShell = text.startsWith("echo ");
  const change = isShell ? "printf '!'" : "Deno.stdout.writeSync(new Uint8Array([33]));";
  await Deno.writeTextFile(file, `${change}\n${text}`);
  if (how === "plainly") return;
  await Deno.chmod(file, 0o444);
  await Deno.utime(file, mtime!, mtime!);
}

/** The line it prints, once, when the unpacked program was not what it should be. */
function assertUnpackedAgain(outcome: { code: number; stdout: string; stderr: string }): void {
  assert.deepEqual([outcome.code, outcome.stdout], [0, `hermes ${VERSION}\n`], outcome.stderr);
  assert.match(outcome.stderr, /^hermes: \S+ was changed; unpacked it again from \S+\n$/);
}

async function keyOf(binary: string): Promise<string> {
  const head = new Uint8Array(4096);
  using file = await Deno.open(binary);
  await file.read(head);
  return /^key=([0-9a-f]{32})$/m.exec(new TextDecoder().decode(head))![1]!;
}

unpackTest("replaces an unpacked program that was changed, its cache included", async (place) => {
  const { binary, cache, env } = place;
  const unpacked = `${cache}/${await keyOf(binary)}`;
  // Planted before the first run: a program that would have been taken for the unpacked one.
  await Deno.mkdir(`${unpacked}/app`, { recursive: true });
  await Deno.writeTextFile(`${unpacked}/deno`, "#!/bin/sh\necho planted\n", { mode: 0o755 });
  await Deno.writeTextFile(`${unpacked}/app/main.js`, "");
  assertUnpackedAgain(await run([binary, "--version"], { env }));
  assertVersion(await run([binary, "--version"], { env }));
  assert.deepEqual(await names(unpacked), ["app", "cache", "deno"]);
  assert.equal((await Deno.stat(`${unpacked}/app/main.js`)).mode! & 0o777, 0o444);
  assert.equal((await Deno.stat(`${unpacked}/deno`)).mode! & 0o777, 0o555);
  assert.equal((await Deno.stat(unpacked)).mode! & 0o022, 0);
  for (const how of ["plainly", "carefully"] as const) {
    await Deno.writeTextFile(`${unpacked}/cache/poisoned`, "");
    await tamper(unpacked, how);
    assertUnpackedAgain(await run([binary, "--version"], { env }));
    assert.ok(!(await names(`${unpacked}/cache`)).includes("poisoned"), "the old cache stayed");
  }
  assert.deepEqual(await names(cache), [unpacked.slice(-32)], "the changed copy stayed");
});

/**
 * A copy of the whole cache with a program of somebody else in it, every time and mode of which is
 * as it should be, put in its place by renaming directories above it.
 */
async function swapCache(place: Unpacking, change: (unpacked: string) => Promise<void>) {
  const { machine, env, cache, binary } = place;
  const [real, forged] = [`${machine.home}/.cache`, `${machine.home}/forged`];
  await Deno.remove(forged, { recursive: true }).catch(() => {});
  await run(["cp", "-r", real, forged], { env });
  const unpacked = `${forged}${cache.slice(real.length)}/${await keyOf(binary)}`;
  await change(unpacked);
  const then = new Date("2020-01-01T00:00:00Z");
  for (const name of [...(await names(`${unpacked}/app`)).map((one) => `app/${one}`), "deno"]) {
    await Deno.chmod(`${unpacked}/${name}`, name === "deno" ? 0o555 : 0o444);
    await Deno.utime(`${unpacked}/${name}`, then, then);
  }
  await Deno.remove(real, { recursive: true });
  await Deno.rename(forged, real);
}

unpackTest("never believes times: a forged copy in its place is replaced", async (place) => {
  const { binary, cache, env, machine } = place;
  const unpacked = `${cache}/${await keyOf(binary)}`;
  assertVersion(await run([binary, "--version"], { env }));
  await swapCache(place, (copy) => tamper(copy, "carefully"));
  assertUnpackedAgain(await run([binary, "--version"], { env }));
  assertVersion(await run([binary, "--version"], { env }));

  // Compiled code is not in the archive: what a copy brings along is not used, and neither is a
  // copy believed in a home that is older than the stamps.
  const stamp = `${machine.home}/.hermes/.unpacked-${await keyOf(binary)}`;
  await swapCache(place, (copy) => Deno.writeTextFile(`${copy}/cache/poisoned`, ""));
  await Deno.remove(stamp);
  assertVersion(await run([binary, "--version"], { env }));
  assert.ok(!(await names(`${unpacked}/cache`)).includes("poisoned"), "a foreign cache stayed");

  // Files older than the stamp, moved into the very directory that was unpacked.
  await Deno.rename(`${unpacked}/app`, `${machine.home}/app`);
  await run(["cp", "-r", `${machine.home}/app`, unpacked], { env });
  await tamper(machine.home, "carefully");
  assertVersion(await run([binary, "--version"], { env }));
  await Deno.remove(`${unpacked}/app`, { recursive: true });
  await Deno.rename(`${machine.home}/app`, `${unpacked}/app`);
  assertUnpackedAgain(await run([binary, "--version"], { env }));
  assert.deepEqual(await names(`${machine.home}/.hermes`), [stamp.split("/").at(-1)]);
});

unpackTest("replaces a changed program also where it can leave no stamp", async (place) => {
  const { binary, machine, fallback } = place;
  const { HOME: _none, ...homeless } = place.env;
  const named = `${machine.home}/named`;
  const places: [root: string, env: Record<string, string>][] = [
    [`${fallback}/hermes-${Deno.uid()}`, homeless],
    [named, { ...place.env, HOME: `${machine.home}/absent`, HERMES_BIN_CACHE: named }],
  ];
  for (const [root, env] of places) {
    const unpacked = `${root}/${await keyOf(binary)}`;
    assertVersion(await run([binary, "--version"], { env, cwd: machine.home }));
    for (const how of ["plainly", "carefully"] as const) {
      await tamper(unpacked, how);
      assertUnpackedAgain(await run([binary, "--version"], { env, cwd: machine.home }));
      assertVersion(await run([binary, "--version"], { env, cwd: machine.home }));
    }
  }
});

unpackTest("takes a copy of what it unpacked for what it is", async ({ binary, machine, env }) => {
  const [first, copy] = [`${machine.home}/first`, `${machine.home}/copy`];
  const at = (root: string) => ({ env: { ...env, HERMES_BIN_CACHE: root } });
  assertVersion(await run([binary, "--version"], at(first)));
  // New inodes, new times, files that others may write: as from a careless backup.
  await run(["cp", "-r", first, copy], { env });
  await run(["chmod", "-R", "go+w", copy], { env });
  const before = await Deno.stat(`${copy}/${await keyOf(binary)}/deno`);
  assertVersion(await run([binary, "--version"], at(copy)));
  const after = await Deno.stat(`${copy}/${await keyOf(binary)}/deno`);
  assert.equal(after.ino, before.ino, "it was unpacked again");
  assert.equal(after.mode! & 0o777, 0o555);
  // From now on its times are enough: a program that reads all of it is not needed.
  const blind = { ...at(copy).env, PATH: "/nowhere" };
  assertVersion(await run([binary, "--version"], { env: blind }));
});

linuxTest("uses a private temporary directory when the home is read-only", async (place) => {
  const { binary, machine } = place;
  const temporary = `${machine.home}/tmp`;
  await Deno.mkdir(temporary);
  // Nobody, not even root, can make a directory there.
  const env = { ...place.env, HOME: "/proc/self", TMPDIR: temporary };
  assertVersion(await run([binary, "--version"], { env, cwd: "/" }));
  const [root] = await names(temporary);
  assert.match(root!, /^hermes-\d+$/);
  assert.equal((await Deno.stat(`${temporary}/${root}`)).mode! & 0o777, 0o700);
  assertVersion(await run([binary, "--version"], { env, cwd: "/" }));
});

realTest(
  "serves users who may only read its cache",
  onLinux(async ({ binary, machine, env }) => {
    if (Deno.uid() !== 0) return skip("only root can become somebody else");
    const [nobody, other] = [65534, `${machine.home}/other`];
    await using theirs = await bareMachine({ ownPrograms: true });
    for (const { home } of [machine, theirs]) await Deno.chmod(`${home}/..`, 0o755);
    await copyProgram(binary, `${machine.home}/hermes`);
    await Deno.mkdir(other);
    await Deno.chown(other, nobody, nobody);
    const shared = { ...env, HERMES_BIN_CACHE: `${machine.home}/shared` };
    assertVersion(await run([`${machine.home}/hermes`, "--version"], { env: shared }));
    const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    const hermesRun = [`${machine.home}/hermes`, "run", "--model", "offline"];
    const job = await run([...asNobody, ...hermesRun, "run `id -u`"], {
      env: { ...shared, PATH: theirs.path, HOME: other, TMPDIR: other },
      cwd: other,
    });
    assert.equal(job.code, 0, job.stderr);
    assert.match(job.stdout, /^ *65534$/m);
    assert.deepEqual(await names(other), [".cache", ".hermes"]);
  }),
);

unpackTest("never runs a program from a temporary directory that others made", async (place) => {
  const { binary, machine } = place;
  const temporary = `${machine.home}/tmp`;
  await Deno.mkdir(`${machine.home}/planted`);
  await Deno.mkdir(temporary);
  const { stdout: uid } = await run(["id", "-u"], { env: machine.env });
  await Deno.symlink(`${machine.home}/planted`, `${temporary}/hermes-${uid.trim()}`);
  const { HOME: _home, ...homeless } = place.env;
  const env = { ...homeless, TMPDIR: temporary };
  const outcome = await run([binary, "--version"], { env, cwd: "/" });
  assert.equal(outcome.code, 126);
  assert.match(outcome.stderr, /hermes-\d+: it belongs to somebody else\n.*HERMES_BIN_CACHE/);
  assert.deepEqual(await names(`${machine.home}/planted`), []);
});

linuxTest("says so when there is no space, and leaves nothing behind", async (place) => {
  const { binary, halfBytes, machine, env } = place;
  const small = `${machine.home}/small`;
  await Deno.mkdir(small);
  const mount = `mount -t tmpfs -o size=${halfBytes} tmpfs ${small}`;
  const script = `${mount} || exit 99; HERMES_BIN_CACHE=${small} ${binary} --version; code=$?
    ls -A ${small}; exit $code`;
  const outcome = await run(["unshare", "-m", "sh", "-c", script], { env });
  if (outcome.code === 99 || outcome.stderr.includes("unshare")) {
    return skip("a small file system cannot be mounted here");
  }
  assert.deepEqual([outcome.code, outcome.stdout], [126, ""]);
  assert.match(
    outcome.stderr,
    /^hermes: cannot unpack into \S+\/small: tar: .+\nhermes: set HERMES_BIN_CACHE .+\n$/,
  );
});

linuxTest("says so when programs may not run from the cache", async (place) => {
  const { binary, machine, env } = place;
  const directory = `${machine.home}/noexec`;
  await Deno.mkdir(directory);
  const script = `mount -t tmpfs -o noexec tmpfs ${directory} || exit 99
    HERMES_BIN_CACHE=${directory} ${binary} --version`;
  const outcome = await run(["unshare", "-m", "sh", "-c", script], { env });
  if (outcome.code === 99 || outcome.stderr.includes("unshare")) {
    return skip("a noexec file system cannot be mounted here");
  }
  assert.equal(outcome.code, 126);
  assert.match(outcome.stderr, /deno: Permission denied\nhermes: set HERMES_BIN_CACHE to .+\n$/);
});

/** Directory of a `tar` that unpacks a half, says so through the pipe `begun`, and hangs. */
async function hangingTar(
  { machine, halfBytes }: Unpacking,
): Promise<{ directory: string; begun: string }> {
  const [directory, begun] = [`${machine.home}/hanging`, `${machine.home}/begun`];
  await Deno.mkdir(directory);
  await run(["mkfifo", begun], { env: machine.env });
  const script = `#!/bin/sh
for last; do :; done
head -c ${halfBytes} | ${machine.path}/tar -xf - -C "$last" 2> /dev/null
echo > ${begun}
exec sleep 60
`;
  await Deno.writeTextFile(`${directory}/tar`, script, { mode: 0o755 });
  return { directory, begun };
}

linuxTest("recovers from a first run that was killed half-way", async (place) => {
  const { binary, cache, fallback, env } = place;
  const { directory, begun } = await hangingTar(place);
  const child = new Deno.Command("setsid", {
    args: [binary, "--version"],
    env: { ...env, PATH: `${directory}:${env.PATH}` },
    clearEnv: true,
    stdout: "null",
    stderr: "null",
  }).spawn();
  await Deno.readFile(begun);
  Deno.kill(-child.pid, "SIGKILL");
  await child.status;
  const half = (await names(cache)).find((name) => name.startsWith(".hermes-new"));
  assert.ok(half !== undefined, "it was killed while it unpacked");
  await age(`${cache}/${half}`);
  const startedAt = performance.now();
  // Both unpack, because the lock's holder is dead; one comes too late and takes the other's.
  const next = [1, 2].map(() => run([binary, "--version"], { env }));
  (await Promise.all(next)).forEach(assertVersion);
  assert.ok(performance.now() - startedAt < HOLDER_WAIT_MS, "the dead run was not waited for");
  assert.equal((await names(cache)).length, 1, "the half-unpacked copy is gone");
  assert.deepEqual(await names(fallback), []);
});

unpackTest("removes versions that nothing runs, and keeps the others", async (place) => {
  const { binary, cache, env } = place;
  await Deno.mkdir(cache, { recursive: true });
  const unused = await addOldVersion(cache, "1".repeat(32));
  const used = await addOldVersion(cache, "2".repeat(32));
  await Deno.mkdir(`${cache}/notes`);
  await age(`${cache}/notes`);
  const user = new Deno.Command(`${used}/deno`, { args: ["60"] }).spawn();
  try {
    assertVersion(await run([binary, "--version"], { env }));
    const left = await names(cache);
    assert.ok(!left.includes(unused.slice(-32)), "the unused version is gone");
    assert.ok(left.includes(used.slice(-32)), "the version in use stays");
    assert.ok(left.includes("notes"), "what is not ours stays");
  } finally {
    user.kill("SIGKILL");
    await user.status;
  }
});

unpackTest("tells an incomplete or damaged download", async ({ binary, machine, env }) => {
  const bytes = await Deno.readFile(binary);
  const half = `${machine.home}/half`;
  await writeProgram(half, bytes.subarray(0, bytes.length / 2));
  const incomplete = await run([half, "--version"], { env });
  assert.deepEqual(incomplete, {
    code: 126,
    stdout: "",
    stderr: `hermes: ${half} is incomplete, download it again\n`,
  });
  const damaged = `${machine.home}/damaged`;
  // Within the program, and in the checksum, which says so only when all is unpacked.
  for (const fromEnd of [100_000, 6]) {
    const copy = bytes.slice();
    copy[copy.length - fromEnd]! ^= 0xff;
    await writeProgram(damaged, copy);
    assert.deepEqual(await run([damaged, "--version"], { env }), {
      code: 126,
      stdout: "",
      stderr: `hermes: ${damaged} is damaged, download it again\n`,
    });
  }
});

realTest(
  "starts by symlink, by relative path, with blanks, and in other shells",
  async (place) => {
    const { binary, machine } = place;
    const directory = `${machine.home}/my programs`;
    await Deno.mkdir(directory);
    await Deno.symlink(binary, `${directory}/hermes`);
    const env: Unpacking["env"] = {
      ...place.env,
      HERMES_BIN_CACHE: `${machine.home}/cache with blanks`,
    };
    assertVersion(await run([`${directory}/hermes`, "--version"], { env }));
    assertVersion(await run(["sh", "-c", "./hermes --version"], { env, cwd: directory }));
    const byName = { ...env, PATH: `${directory}:${env.PATH}` };
    assertVersion(await run(["sh", "-c", "hermes --version"], { env: byName }));
    for (const shell of [["dash"], ["bash", "--posix"], ["busybox", "sh"], ["zsh"], ["ksh"]]) {
      const found = await Deno.stat(`${machine.path}/${shell[0]}`).catch(() => undefined);
      if (found === undefined) skip(`${shell[0]} is not installed`);
      else assertVersion(await run([...shell, binary, "--version"], { env }));
    }
  },
);
