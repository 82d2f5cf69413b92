/**
 * The same behaviour in every build: every suite that drives hermes as a program runs again
 * against the artefact, on a bare machine. A new suite joins by using `tests/support`.
 */
import assert from "node:assert/strict";
import { typescriptFiles } from "../../scripts/_tree.ts";
import { artefact, bareMachine, ROOT, skip } from "./support.ts";

const DRIVES_HERMES =
  /import \{[^}]*\b(?:runHermes|startHermes|hermesCommand|withJob)\b[^}]*\} from "/;
const LOCAL_IMPORT = /from "(\.[^"]+)"/g;

/**
 * Run from source only: one docker daemon and one sshd cannot serve two runs of their suites at
 * once, and two hundred kills are two hundred kills in any build.
 */
const ONCE = /^tests\/(conformance|crash)\//;

/** Test files that start hermes through `tests/support`, themselves or through a helper beside them. */
async function programSuites(): Promise<string[]> {
  const all = (await typescriptFiles("tests")).filter((path) => !path.startsWith("tests/binary/"));
  const texts = new Map<string, string>();
  for (const path of all) texts.set(path, await Deno.readTextFile(`${ROOT}/${path}`));
  const drives = (path: string): boolean => {
    const text = texts.get(path) ?? "";
    if (DRIVES_HERMES.test(text)) return true;
    const folder = path.slice(0, path.lastIndexOf("/"));
    return [...text.matchAll(LOCAL_IMPORT)].some(([, specifier]) =>
      specifier!.startsWith("./") && drives(`${folder}/${specifier!.slice(2)}`)
    );
  };
  return all.filter((path) => path.endsWith("_test.ts") && !ONCE.test(path) && drives(path));
}

Deno.test("every suite that drives hermes passes against the artefact", async () => {
  if (Deno.env.get("HERMES_BIN")) {
    return skip("HERMES_BIN is set: the suites are given to the artefact directly");
  }
  const suites = await programSuites();
  assert.ok(suites.includes("tests/run/contract_test.ts"), suites.join(" "));
  await using machine = await bareMachine();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--parallel", "--quiet", ...suites],
    cwd: ROOT,
    env: { HERMES_BIN: await artefact(), PATH: machine.path, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 0, `${decoder.decode(stdout)}${decoder.decode(stderr)}`);
});
