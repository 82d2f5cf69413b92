import { deepEqual, equal, ok } from "node:assert/strict";
import { isTrustedBase } from "../util/protected_paths.ts";
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

Deno.test("hermesPrograms() names no program of a test runner", () => {
  deepEqual(hermesPrograms({}), []);
});
