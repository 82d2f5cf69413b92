import assert from "node:assert/strict";
import { NO_PERMISSIONS, type PluginManifest, type PluginPermissions } from "../protocol/plugin.ts";
import { type PermissionPlace, resolveAuthority } from "./permissions.ts";
import { describePermissions, permissionsBeyond } from "./powers.ts";

function manifest(permissions: Partial<PluginPermissions>, requiresEnv: string[] = []) {
  return {
    name: "demo",
    version: "1",
    description: "x",
    config: {},
    provides: [],
    requiresEnv,
    permissions: { ...NO_PERMISSIONS, ...permissions },
  } satisfies PluginManifest;
}

async function withPlace(body: (place: PermissionPlace) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${root}/.hermes`);
    await Deno.mkdir(`${root}/project/docs`, { recursive: true });
    await Deno.writeTextFile(`${root}/project/one.txt`, "");
    await body({
      cwd: `${root}/project`,
      userHome: root,
      hermesRoot: `${root}/.hermes`,
      modulesDir: `${root}/modules`,
      dataDir: `${root}/data`,
      env: (name) => ({ PATH: "/usr/bin:/bin", KEY: "value" })[name],
    });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("resolveAuthority() grants a plugin its own folders and nothing else", async () => {
  await withPlace(async (place) => {
    const authority = await resolveAuthority(manifest({}), place);
    assert.deepEqual(authority, {
      permissions: {
        read: [place.modulesDir, place.dataDir],
        write: [place.dataDir],
        net: [],
        env: [],
        run: [],
      },
      env: {},
      ports: [],
      paths: [
        { path: place.modulesDir, access: "tree" },
        { path: place.dataDir, access: "work" },
      ],
    });
  });
});

Deno.test("resolveAuthority() tells files from folders and follows links", async () => {
  await withPlace(async (place) => {
    await Deno.symlink(`${place.cwd}/docs`, `${place.cwd}/link`);
    const { paths, permissions } = await resolveAuthority(
      manifest({ read: ["./link", "~/project/one.txt"], write: ["one.txt"] }),
      place,
    );
    assert.deepEqual(paths.slice(2), [
      { path: `${place.cwd}/docs`, access: "tree" },
      { path: `${place.cwd}/one.txt`, access: "read" },
      { path: `${place.cwd}/one.txt`, access: "sink" },
    ]);
    assert.ok(permissions.read.includes(`${place.cwd}/link`));
  });
});

Deno.test("resolveAuthority() never grants the home of hermes, by whatever way", async () => {
  await withPlace(async (place) => {
    await Deno.symlink(place.hermesRoot, `${place.cwd}/innocent`);
    for (const path of ["~/.hermes", "~", "/", "~/.hermes/.env", "./innocent", "../.hermes/x"]) {
      await assert.rejects(resolveAuthority(manifest({ read: [path] }), place), {
        message: /keys of hermes/,
      }, path);
    }
  });
});

Deno.test("resolveAuthority() limits ports when every host names one", async () => {
  await withPlace(async (place) => {
    const ports = async (net: string[]) => (await resolveAuthority(manifest({ net }), place)).ports;
    assert.deepEqual(await ports(["a.test:443", "b.test:443", "[::1]:8080"]), [443, 8080, 53]);
    assert.equal(await ports(["a.test:443", "b.test"]), "any");
  });
});

Deno.test("resolveAuthority() hands over declared variables that are set", async () => {
  await withPlace(async (place) => {
    const { env, permissions } = await resolveAuthority(
      manifest({ env: ["UNSET"] }, ["KEY"]),
      place,
    );
    assert.deepEqual(env, { KEY: "value" });
    assert.deepEqual(permissions.env, ["UNSET", "KEY"]);
  });
});

Deno.test("resolveAuthority() finds programs and refuses those that are not there", async () => {
  await withPlace(async (place) => {
    const { permissions, env, paths } = await resolveAuthority(manifest({ run: ["cat"] }), place);
    assert.ok(permissions.run.some((path) => path.endsWith("/cat")));
    assert.match(env.PATH!, /bin$/);
    assert.ok(paths.some(({ path, access }) => access === "run" && path.includes("/")));
    await assert.rejects(resolveAuthority(manifest({ run: ["no-such-program"] }), place), {
      message: 'there is no program "no-such-program" here',
    });
  });
});

Deno.test("describePermissions() says what a plugin may do, or that it may nothing", () => {
  assert.deepEqual(describePermissions(manifest({})), [
    "nothing: no network, files, variables or programs",
  ]);
  assert.deepEqual(describePermissions(manifest({ net: ["a.test"], env: ["A"] }, ["B"])), [
    "connect to: a.test",
    "see the variables: A, B",
  ]);
  const pushing = manifest({
    secrets: ["TOKEN"],
    sessions: ["wake", "notify"],
    platforms: ["pigeon"],
    providers: ["acme"],
    routes: ["/hook"],
    background: ["services", "timers"],
  }, ["TOKEN"]);
  assert.deepEqual(describePermissions(pushing), [
    "get the secrets: TOKEN",
    "bring messages from chats of, and send to them: pigeon",
    "answer as a model, and see whole conversations then, as: acme",
    "answer HTTP requests at: /hook",
    "begin turns in sessions that use it, with text of its own (wake)",
    "show lines in sessions that use it (notify)",
    "run for as long as hermes does (services)",
    "run at times of its own (timers)",
  ]);
});

Deno.test("permissionsBeyond() compares with what an older hermes has recorded", () => {
  const { net, read, write, env, run, hooks } = NO_PERMISSIONS;
  const old = { net, read, write, env, run, hooks } as unknown as PluginPermissions;
  const now = { ...NO_PERMISSIONS, sessions: ["wake" as const] };
  assert.deepEqual(permissionsBeyond(now, old).length, 1);
  assert.deepEqual(permissionsBeyond(old, now), []);
});

Deno.test("resolveAuthority() follows links to what is not there yet", async () => {
  await withPlace(async (place) => {
    await Deno.symlink(place.hermesRoot, `${place.cwd}/link`);
    await Deno.symlink(`${place.hermesRoot}/later`, `${place.cwd}/nowhere`);
    const resolve = (path: string) => resolveAuthority(manifest({ read: [path] }), place);
    await assert.rejects(resolve("./link/later"), /holds the keys of hermes/);
    await assert.rejects(resolve("./nowhere"), /a link that leads nowhere cannot be granted/);
    const { paths } = await resolve("./later/still");
    assert.equal(paths.at(-1)?.path, `${place.cwd}/later/still`);
  });
});

Deno.test("resolveAuthority() grants nothing that hermes believes, wherever it is kept", async () => {
  await withPlace(async (known) => {
    const { userHome } = known;
    const place: PermissionPlace = {
      ...known,
      trusted: () =>
        Promise.resolve({
          homes: [userHome],
          hermesHomes: [`${userHome}/.hermes`, `${userHome}/profiles/work`],
          trustedBase: [`${userHome}/.cache/hermes/bin`, `${userHome}/dotfiles/hermes.yaml`],
          secrets: [`${userHome}/dotfiles/keys`],
        }),
    };
    for (const path of ["~/.cache", "~/.cache/hermes/bin/x", "~/dotfiles", "~/profiles/work/a"]) {
      await assert.rejects(
        resolveAuthority(manifest({ write: [path] }), place),
        /holds what hermes trusts or lies among it/,
        path,
      );
    }
    for (const path of ["~/dotfiles", "~/dotfiles/keys", "~/profiles"]) {
      await assert.rejects(
        resolveAuthority(manifest({ read: [path] }), place),
        /holds the keys of hermes or lies among it/,
        path,
      );
    }
    const free = { read: ["~/.cache/hermes/bin", "~/dotfiles/other"], write: ["~/.cache/mine"] };
    const { permissions } = await resolveAuthority(manifest(free), place);
    assert.ok(permissions.write.includes(`${userHome}/.cache/mine`));
    assert.ok(permissions.read.includes(`${userHome}/dotfiles/other`));
  });
});
