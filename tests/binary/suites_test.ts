/**
 * The same behaviour in every build: every suite that drives hermes as a program runs again
 * against the artefact, on a bare machine. A new suite joins by using `tests/support`.
 */
import assert from "node:assert/strict";
import { typescriptFiles } from "../../scripts/_tree.ts";
import { ROOT, withInstalled } from "./support.ts";

const DRIVES_HERMES =
  /import \{[^}]*\b(?:runHermes|startHermes|hermesCommand|withJob)\b[^}]*\} from "/;
const LOCAL_IMPORT = /from "(\.[^"]+)"/g;

/** Run from source only: two hundred kills are two hundred kills in any build. */
const ONCE = /^tests\/crash\//;

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
  const suites = await programSuites();
  // One of each kind, so that a change of the imports cannot empty the list.
  for (
    const name of ["run/contract", "run/environment", "plugins/command", "store/sessions_command"]
  ) {
    assert.ok(suites.includes(`tests/${name}_test.ts`), suites.join(" "));
  }
  await withInstalled(async ({ machine, path }) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--parallel", "--quiet", ...suites],
      cwd: ROOT,
      env: { HERMES_BIN: path, PATH: machine.path, NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    assert.equal(code, 0, `${decoder.decode(stdout)}${decoder.decode(stderr)}`);
  });
});
