import { deepEqual, equal, ok } from "node:assert/strict";
import { accessTo, isTrustedBase } from "../util/protected_paths.ts";
import { hermesPrograms, protectedPlaces } from "./protected_places.ts";

async function tempDirectory() {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-places-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("protectedPlaces() lists a linked home under both names, also before it exists", async () => {
  await using root = await tempDirectory();
  await Deno.mkdir(`${root.path}/data/me`, { recursive: true });
  await Deno.symlink(`${root.path}/data/me`, `${root.path}/me`);
  const places = protectedPlaces({
    home: { root: `${root.path}/me/state` },
    userHome: `${root.path}/me`,
    env: {},
  });
  deepEqual(places.homes, [`${root.path}/me`, `${root.path}/data/me`]);
  deepEqual([...places.hermesHomes].sort(), [
    `${root.path}/data/me/.hermes`,
    `${root.path}/data/me/state`,
    `${root.path}/me/.hermes`,
    `${root.path}/me/state`,
  ]);
});

Deno.test("protectedPlaces() lists every place a program may be started from", async () => {
  await using root = await tempDirectory();
  const { path } = root;
  const facts = { home: { root: `${path}/.hermes` }, userHome: path, cwd: path };
  const places = protectedPlaces({
    ...facts,
    env: {
      HERMES_BIN_CACHE: "named",
      XDG_CACHE_HOME: `${path}/caches`,
      TMPDIR: `${path}/tmp`,
      DENO_DIR: `${path}/deno`,
    },
  });
  const inside = [
    `${path}/named/0123/deno`,
    `${path}/caches/hermes/bin/0123/app/main.js`,
    `${path}/caches/hermes/bin/.hermes-busy`,
    `${path}/caches/hermes/npm/hermes-0.1.0-0123456789abcdef`,
    `${path}/tmp/hermes-${Deno.uid()}/0123/deno`,
    `${path}/deno/v8_code_cache_v2`,
    Deno.execPath(),
    await Deno.realPath(Deno.execPath()),
  ];
  for (const file of inside) ok(isTrustedBase(file, places), file);
  for (const file of [`${path}/caches/other`, `${path}/tmp/x`, `${path}/src/a.ts`]) {
    equal(isTrustedBase(file, places), false, file);
  }
  const plain = protectedPlaces({ ...facts, env: {} });
  ok(isTrustedBase(`${path}/.cache/hermes/bin/x`, plain));
  ok(isTrustedBase(`/tmp/hermes-${Deno.uid()}/x`, plain));
});

Deno.test("protectedPlaces() never takes the whole disk for a protected place", () => {
  const { homes, hermesHomes, trustedBase } = protectedPlaces({
    home: { root: "/" },
    userHome: "/",
    env: { HERMES_BIN_CACHE: "/" },
  });
  ok(![...homes, ...hermesHomes, ...trustedBase].includes("/"));
});

Deno.test("protectedPlaces() follows links of the home: settings, keys and profiles kept elsewhere", async () => {
  await using temporary = await tempDirectory();
  const { path } = temporary;
  const root = `${path}/.hermes`;
  for (const dir of [`${root}/profiles/own`, `${path}/dotfiles`, `${path}/data/work`]) {
    await Deno.mkdir(dir, { recursive: true });
  }
  await Deno.writeTextFile(`${path}/dotfiles/settings.yaml`, "");
  await Deno.symlink("../dotfiles/settings.yaml", `${root}/config.yaml`);
  // Nothing is there yet: whoever writes it writes the keys.
  await Deno.symlink(`${path}/dotfiles/keys`, `${root}/.env`);
  await Deno.symlink(`${path}/data/work`, `${root}/profiles/work`);
  await Deno.symlink(`${path}/dotfiles/own.yaml`, `${root}/profiles/own/config.yaml`);
  await Deno.symlink(`${path}/dotfiles/chain`, `${root}/plugins.lock`);
  await Deno.symlink("end", `${path}/dotfiles/chain`);
  // A link that would protect everything, and one that hermes does not believe.
  await Deno.symlink(path, `${root}/cache`);
  await Deno.symlink(`${path}/notes`, `${root}/notes`);
  const places = protectedPlaces({ home: { root }, userHome: path, env: {} });
  const expected = {
    "dotfiles/settings.yaml": { read: "free", write: "refuse" },
    "dotfiles/keys": { read: "refuse", write: "refuse" },
    "data/work/config.yaml": { read: "free", write: "refuse" },
    "data/work/.env": { read: "refuse", write: "refuse" },
    "dotfiles/own.yaml": { read: "free", write: "refuse" },
    "dotfiles/end": { read: "free", write: "refuse" },
    "dotfiles/other": { read: "free", write: "free" },
    "notes/a.md": { read: "free", write: "free" },
  };
  for (const [name, { read, write }] of Object.entries(expected)) {
    const access = accessTo(`${path}/${name}`, places);
    deepEqual({ read: access.read, write: access.write }, { read, write }, name);
  }
});

Deno.test("protectedPlaces() takes programs on the PATH for programs, wherever the PATH leads", async () => {
  await using temporary = await tempDirectory();
  const { path } = temporary;
  for (const dir of ["conda/bin", "opt/rg", "project/.venv/bin"]) {
    await Deno.mkdir(`${path}/${dir}`, { recursive: true });
  }
  await Deno.writeTextFile(`${path}/opt/rg/rg-14`, "", { mode: 0o755 });
  await Deno.symlink("../../opt/rg/rg-14", `${path}/conda/bin/rg`);
  const PATH =
    `${path}/conda/bin::relative:${path}/project/.venv/bin:${path}/project:${path}:/:/usr/bin`;
  const facts = { home: { root: `${path}/.hermes` }, userHome: path, cwd: `${path}/project` };
  const places = protectedPlaces({ ...facts, env: { PATH } });
  for (const name of ["conda/bin/python3", "opt/rg/rg-14", "project/.venv/bin/rg"]) {
    equal(accessTo(`${path}/${name}`, places).write, "ask", name);
  }
  for (const name of ["project/a.ts", "notes", "opt/rg/other", "conda/lib/x.py"]) {
    equal(accessTo(`${path}/${name}`, places).write, "free", name);
  }
});

Deno.test("hermesPrograms() names no program of a test runner", () => {
  deepEqual(hermesPrograms({}), []);
});
