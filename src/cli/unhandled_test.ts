import assert from "node:assert/strict";

const MODULE = new URL("./unhandled.ts", import.meta.url).href;

async function run(code: string, argv: string[] = []): Promise<{ code: number; stderr: string }> {
  const source = `import { endOnUnhandled } from ${JSON.stringify(MODULE)};
    endOnUnhandled(${JSON.stringify(argv)});
    ${code}
    setTimeout(() => console.log("went on"), 60_000);`;
  const child = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-check", `data:text/javascript,${encodeURIComponent(source)}`],
    env: { NO_COLOR: "1" },
  }).output();
  assert.equal(new TextDecoder().decode(child.stdout), "");
  return { code: child.code, stderr: new TextDecoder().decode(child.stderr) };
}

Deno.test("endOnUnhandled() tells a rejection and an exception that nobody caught in one line", async () => {
  for (const code of [`Promise.reject(new Error("boom"));`, `setTimeout(() => { null.x; });`]) {
    const { code: exitCode, stderr } = await run(code);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^hermes: internal error: \w+: .*\n {2}Run again with --verbose .*\n$/);
  }
});

Deno.test("endOnUnhandled() shows the stack with --verbose", async () => {
  const { stderr } = await run(`Promise.reject(new Error("boom"));`, ["run", "--verbose"]);
  assert.match(stderr, /internal error: Error: boom\n[\s\S]*\n\s+at /);
});

Deno.test("a program whose files are gone ends with its first failure", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["cli/unhandled.ts", "protocol/error.ts"]) {
      await Deno.mkdir(`${folder}/${name.split("/")[0]}`, { recursive: true });
      await Deno.copyFile(new URL(`../${name}`, import.meta.url), `${folder}/${name}`);
    }
    const main = `${folder}/main.ts`;
    await Deno.writeTextFile(
      main,
      `import { endOnUnhandled } from "./cli/unhandled.ts";
      endOnUnhandled([]);
      setInterval(() => {}, 60_000);
      Promise.reject(new Error("boom"));`,
    );
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", "--no-check", "--no-config", main],
      env: { NO_COLOR: "1" },
      signal: AbortSignal.timeout(30_000),
    }).output();
    assert.equal(code, 1);
    assert.match(new TextDecoder().decode(stderr), /^hermes: internal error: Error: boom; .*\n$/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
