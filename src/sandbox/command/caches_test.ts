import { deepEqual, equal, ok } from "node:assert/strict";
import { CACHE_ROWS } from "./caches_data.ts";
import { gitVariables } from "./git_variables.ts";
import { makeOwnPlaces } from "./own_places.ts";
import { behind, policyAt, SETTINGS, withHome } from "./testdata/support.ts";

Deno.test("private caches are below one directory of the project, made for its owner alone", async () => {
  await withHome([], async (at) => {
    const policy = policyAt(at, { settings: { ...SETTINGS, caches: "private" } });
    const [root] = policy.own;
    ok(root?.startsWith(`${at.home}/.cache/hermes/walls/project-`), `${root}`);
    deepEqual(policy.writable, [root]);
    for (const name of ["npm_config_cache", "PIP_CACHE_DIR", "CARGO_HOME", "DENO_DIR", "GOCACHE"]) {
      ok(policy.env[name]?.startsWith(`${root}/`), name);
    }
    deepEqual(makeOwnPlaces(policy), []);
    equal((await Deno.stat(root!)).mode! & 0o777, 0o700);
    const other = policyAt(at, {
      settings: { ...SETTINGS, caches: "private" },
      env: { XDG_CACHE_HOME: `${at.root}/caches` },
    });
    ok(other.own[0]?.startsWith(`${at.root}/caches/hermes/walls/`));
  });
});

Deno.test("private caches can be written behind the walls, the person's own only read", async () => {
  await withHome([".npm/_cacache/x", ".cargo/registry/x", ".cache/pip/x"], async (at) => {
    const policy = policyAt(at, { settings: { ...SETTINGS, caches: "private" } });
    makeOwnPlaces(policy);
    const results = await behind(policy, [
      'mkdir -p "$npm_config_cache/a" "$CARGO_HOME/registry" && echo x > "$PIP_CACHE_DIR" ',
      `cat ${at.home}/.npm/_cacache/x ${at.home}/.cargo/registry/x ${at.home}/.cache/pip/x`,
      `echo x > ${at.home}/.npm/_cacache/x`,
      `echo x > ${at.home}/.cargo/registry/x`,
      `touch ${at.home}/.cache/pip/new`,
    ], { cwd: at.project, env: { ...policy.env } });
    if (results === undefined) return;
    deepEqual(results.map(({ code }) => code === 0), [true, true, false, false, false]);
  });
});

Deno.test("shared caches are the person's own that exist, and no variable is set", async () => {
  await withHome(
    [".npm/x", ".cargo/registry/x", ".cargo/credentials.toml", ".m2/settings.xml"],
    (at) => {
      const policy = policyAt(at, { settings: { ...SETTINGS, caches: "shared" } });
      deepEqual(policy.writable, [`${at.home}/.npm`, `${at.home}/.cargo/registry`]);
      deepEqual(Object.keys(policy.env).filter((name) => !name.startsWith("GIT_")), []);
      deepEqual(policy.own, []);
    },
  );
});

Deno.test("caches that are off are neither set nor writable", async () => {
  await withHome([".npm/x"], (at) => {
    const policy = policyAt(at);
    deepEqual(policy.writable, []);
    deepEqual(Object.keys(policy.env).filter((name) => !name.startsWith("GIT_")), []);
  });
});

Deno.test("what tools can read of the person's caches is offered to them", async () => {
  const files = [
    "go/pkg/mod/cache/download/x",
    ".m2/repository/x",
    ".gradle/caches/modules-2/x",
    ".nuget/packages/x",
    ".cache/ms-playwright/x",
    ".config/go/env",
  ];
  await withHome(files, async (at) => {
    await Deno.writeTextFile(`${at.home}/.config/go/env`, "GOFLAGS=-x\nGOPROXY=https://own\n");
    const settings = { ...SETTINGS, caches: "private" as const };
    const { env } = policyAt(at, { settings, env: { MAVEN_OPTS: "-Xmx1g" } });
    equal(env.GOPROXY, `file://${at.home}/go/pkg/mod/cache/download,https://own`);
    ok(env.GOPATH?.endsWith(`:${at.home}/go`));
    ok(env.MAVEN_OPTS?.startsWith("-Xmx1g -Dmaven.repo.local="));
    ok(env.MAVEN_OPTS?.endsWith(`-Dmaven.repo.local.tail=${at.home}/.m2/repository`));
    equal(env.GRADLE_RO_DEP_CACHE, `${at.home}/.gradle/caches`);
    equal(env.NUGET_FALLBACK_PACKAGES, `${at.home}/.nuget/packages`);
    equal(env.PLAYWRIGHT_BROWSERS_PATH, `${at.home}/.cache/ms-playwright`);
    const set = policyAt(at, { settings, env: { GOPROXY: "off" } }).env;
    equal(set.GOPROXY, `file://${at.home}/go/pkg/mod/cache/download,off`);
  });
});

Deno.test("every row of the caches says why, and no two set one variable", () => {
  const context = {
    root: "/r",
    env: () => "",
    there: (place: string) => `/h/${place}`,
    text: () => "",
  };
  const names = CACHE_ROWS.flatMap((row) => Object.keys(row.variables(context)));
  equal(new Set(names).size, names.length);
  for (const { tool, why } of CACHE_ROWS) ok(tool !== "" && why.length > 20, tool);
});

Deno.test("gitVariables() comes behind what a person passes, and fills no gap", () => {
  deepEqual(gitVariables({}, []), {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: "/dev/null",
  });
  const env = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "me" };
  // Commands see what is passed by name alone.
  equal(gitVariables(env, [])["GIT_CONFIG_COUNT"], "1");
  const passed = gitVariables(env, Object.keys(env));
  equal(passed.GIT_CONFIG_COUNT, "2");
  equal(passed.GIT_CONFIG_KEY_1, "core.hooksPath");
  equal(passed.GIT_CONFIG_KEY_0, undefined);
  equal(gitVariables(env, ["GIT_CONFIG_COUNT"])["GIT_CONFIG_COUNT"], "1");
  equal(gitVariables({ GIT_CONFIG_COUNT: "x" }, ["GIT_CONFIG_COUNT"])["GIT_CONFIG_COUNT"], "1");
});

Deno.test("git runs no hook behind the walls and commits all the same", async () => {
  await withHome([".gitconfig"], async (at) => {
    await Deno.writeTextFile(
      `${at.home}/.gitconfig`,
      "[user]\nname = me\nemail = me@example.com\n",
    );
    await Deno.remove(`${at.project}/.git`);
    const setUp =
      "git init -q . && printf '#!/bin/sh\\ntouch ran\\nexit 1\\n' > .git/hooks/pre-commit " +
      "&& chmod +x .git/hooks/pre-commit && touch a && git add a";
    const { code } = await new Deno.Command("sh", {
      args: ["-c", setUp],
      cwd: at.project,
      env: { HOME: at.home },
    }).output();
    equal(code, 0);
    const policy = policyAt(at);
    const results = await behind(policy, [
      "git commit -q -m first && git log --oneline && git switch -q -c other && git gc -q",
      "test ! -e ran",
    ], { cwd: at.project, env: { HOME: at.home, PATH: "/usr/bin:/bin", ...policy.env } });
    if (results === undefined) return;
    deepEqual(results.map(({ code }) => code), [0, 0], JSON.stringify(results));
  });
});
