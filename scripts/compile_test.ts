import assert from "node:assert/strict";
import { dirname } from "../src/util/path.ts";
import { TEST_BUNDLE } from "../tests/support/hermes.ts";
import { compile, compileArguments, embeddedFiles } from "./compile.ts";
import { hostTarget, TARGETS } from "./_targets.ts";
import { isTest, ROOT, runDeno, typescriptFiles } from "./_tree.ts";

/** Everything the program loads when it is needed: commands, tools, environments, plugins, packages. */
async function lazyModules(): Promise<Set<string>> {
  const found = new Set(["main"]);
  const folders = await Promise.all(["src", "tools", "environments"].map(typescriptFiles));
  for (const path of ["main.ts", ...folders.flat().filter((path) => !isTest(path))]) {
    const text = await Deno.readTextFile(`${ROOT}/${path}`);
    for (const [, name] of text.matchAll(/\bimport\("\.[^"]*?(\w+)\.ts"\)/g)) found.add(name!);
  }
  for (
    const name of [
      "child_main",
      "doctor",
      "read_file",
      "docker_environment",
      "openai_responses",
      "js_yaml",
    ]
  ) {
    assert.ok(found.has(name), `one of each kind is found: ${name}`);
  }
  return found;
}

Deno.test("compileArguments() asks for every target by Deno's name", () => {
  assert.equal(TARGETS.length, 5);
  for (const target of TARGETS) {
    const args = compileArguments("/app", { target, out: "/out" });
    assert.equal(args[args.indexOf("--target") + 1], target.triple);
    assert.equal(args.at(-1), "/app/main.js");
  }
});

Deno.test("embeddedFiles() reads Deno's listing", () => {
  const listing = "Embedded Files\n\n\x1b[3mhermes\x1b[0m\n├── a-1.js (1.2KB)\n└── main.js (30B)\n";
  assert.deepEqual(embeddedFiles(listing), ["a-1.js", "main.js"]);
});

/** The bundle that a run of the whole suite made at its beginning. */
function bundleOfRun(): { app?: string } {
  const bundle = Deno.env.get(TEST_BUNDLE);
  return bundle ? { app: `${dirname(bundle)}/app` } : {};
}

Deno.test("compile() embeds every chunk, shown with a stand-in for the base binary", async () => {
  const directory = await Deno.makeTempDir({ prefix: "hermes-compile-" });
  try {
    const out = `${directory}/hermes`;
    const files = await compile({
      target: hostTarget(),
      out,
      ...bundleOfRun(),
      env: { DENORT_BIN: Deno.execPath() },
    });
    const modules = new Set(files.map((name) => name.replace(/(?:-[A-Z0-9]{8})?\.js$/, "")));
    for (const name of await lazyModules()) {
      assert.ok(modules.has(name), `${name} is embedded: ${[...modules].join(" ")}`);
    }
    assert.ok((await Deno.stat(out)).size > (await Deno.stat(Deno.execPath())).size);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("compile() names the portable build when the base binary is out of reach", async () => {
  // Not this machine's, which somebody may have compiled for before: Deno keeps what it fetched.
  const target = TARGETS.find(({ name }) =>
    name.startsWith("linux") && name !== hostTarget().name
  )!;
  const directory = await Deno.makeTempDir({ prefix: "hermes-compile-" });
  const [app, out] = [`${directory}/app`, `${directory}/hermes`];
  await Deno.mkdir(app);
  await Deno.writeTextFile(`${app}/main.js`, "");
  const nowhere = [{ DENORT_BIN: `${out}.none` }, { HTTPS_PROXY: "http://127.0.0.1:9" }];
  try {
    await Promise.all(nowhere.map((env) =>
      assert.rejects(compile({ target, out, env, app }), {
        message:
          `Deno's base binary for ${target.name} is out of reach: set DENORT_BIN to a copy ` +
          `of it, or build: deno task portable --target ${target.name}`,
      })
    ));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("the compiled program needs all permissions to look after processes", async () => {
  if (Deno.build.os !== "linux") return console.log("not run: there is no /proc here");
  const read = 'Deno.readTextFileSync("/proc/1/stat")';
  const most = ["read", "write", "net", "env", "run", "ffi", "sys"].map((name) =>
    `--allow-${name}`
  );
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(file, read);
    assert.match((await runDeno(["run", "--no-prompt", ...most, file])).stderr, /allow-all/);
    assert.equal((await runDeno(["run", "--no-prompt", "-A", file])).code, 0);
  } finally {
    await Deno.remove(file);
  }
});
