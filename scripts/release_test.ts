import assert from "node:assert/strict";
import { sha256Hex } from "../src/util/hash.ts";
import { VERSION } from "../src/util/version.ts";
import { hostTarget } from "./_targets.ts";
import { ROOT } from "./_tree.ts";
import { fillTemplate, writeRelease } from "./release.ts";

/** The same as in the test of the release workflow: one build serves both. */
const URL_OF_RELEASES = "https://releases.invalid/owner/hermes/releases";

async function withRelease(body: (directory: string) => Promise<void>): Promise<void> {
  const out = await Deno.makeTempDir({ prefix: "hermes-release-" });
  try {
    await writeRelease({ releasesUrl: URL_OF_RELEASES, targets: [hostTarget()], out });
    await body(out);
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}

async function run(command: string, args: string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, env }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("writeRelease() names the same file in checksums, manifest and recipes", async () => {
  await withRelease(async (out) => {
    const { name } = hostTarget();
    const bytes = await Deno.readFile(`${out}/hermes-${name}`);
    const sum = await sha256Hex(bytes);
    assert.ok(bytes.length <= 45e6, `${bytes.length} bytes`);
    assert.equal(await Deno.readTextFile(`${out}/SHA256SUMS`), `${sum}  hermes-${name}\n`);
    const manifest = JSON.parse(await Deno.readTextFile(`${out}/manifest.json`));
    assert.deepEqual(manifest, {
      version: VERSION,
      files: { [name]: { file: `hermes-${name}`, sha256: sum, size: bytes.length } },
    });
    for (const file of ["hermes.rb", "npm/hermes.js"]) {
      assert.ok((await Deno.readTextFile(`${out}/${file}`)).includes(sum), file);
    }
    assert.match(await Deno.readTextFile(`${out}/install.sh`), /:-https:\/\/releases\.invalid/);
    assert.equal(JSON.parse(await Deno.readTextFile(`${out}/npm/package.json`)).private, true);
  });
});

Deno.test("writeRelease() lists what is shipped and nothing that only builds", async () => {
  await withRelease(async (out) => {
    const bill = JSON.parse(await Deno.readTextFile(`${out}/sbom.cdx.json`));
    const names = bill.components.map(({ name }: { name: string }) => name);
    assert.ok(names.includes("deno") && names.includes("zod"));
    assert.ok(!names.some((name: string) => name.includes("esbuild")));
    for (const { purl, hashes } of bill.components) {
      assert.match(purl, /^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d/);
      if (hashes !== undefined) assert.match(hashes[0].content, /^[0-9a-f]{128}$/);
    }
  });
});

Deno.test("writeRelease() builds an executable that knows where to look for updates", async () => {
  await withRelease(async (out) => {
    const home = `${out}/home`;
    await Deno.mkdir(home);
    const env = { HOME: home, HERMES_BIN_CACHE: `${ROOT}/dist/cache/unpacked` };
    const check = await run(`${out}/hermes-${hostTarget().name}`, ["update", "--check"], env);
    assert.equal(check.code, 1);
    assert.ok(check.stderr.includes(`${URL_OF_RELEASES}/latest/download/manifest.json`));
  });
});

Deno.test("the npm wrapper downloads once, checks and runs the executable", async () => {
  const node = await run("node", ["--version"]).catch(() => undefined);
  if (node?.code !== 0) return console.log("not run: there is no node here");
  const executable = new TextEncoder().encode('#!/bin/sh\necho "ran $*"\nexit 7\n');
  let downloads = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    downloads++;
    return new Response(executable);
  });
  const directory = await Deno.makeTempDir({ prefix: "hermes-npm-" });
  try {
    const template = await Deno.readTextFile(`${ROOT}/scripts/packaging/npm/hermes.js`);
    const wrapper = async (sum: string) => {
      const mark = `SHA256_${hostTarget().name.toUpperCase().replace("-", "_")}`;
      const url = `http://127.0.0.1:${server.addr.port}`;
      const text = fillTemplate(template, { VERSION, RELEASES_URL: url, [mark]: sum });
      await Deno.writeTextFile(`${directory}/hermes.js`, text);
      return await run("node", [`${directory}/hermes.js`, "run", "x"], {
        XDG_CACHE_HOME: directory,
      });
    };
    const sum = await sha256Hex(executable);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await wrapper(sum), { code: 7, stdout: "ran run x\n", stderr: "" });
    }
    assert.equal(downloads, 1);
    const wrong = await wrapper("0".repeat(64));
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^hermes: .+ has SHA-256 [0-9a-f]{64}, not 0{64}\n$/);
  } finally {
    await server.shutdown();
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("the Homebrew formula is valid Ruby", async () => {
  const ruby = await run("ruby", ["--version"]).catch(() => undefined);
  if (ruby?.code !== 0) return console.log("not run: there is no ruby here");
  const checked = await run("ruby", ["-c", `${ROOT}/scripts/packaging/hermes.rb`]);
  assert.equal(checked.stdout, "Syntax OK\n", checked.stderr);
});
