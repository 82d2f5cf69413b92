/**
 * The program that the test suite drives: hermes bundled as it ships, made anew for every run in a
 * directory of its own, because a start from the sources takes twice the time. Tests find it
 * through `TEST_BUNDLE`, in `tests/support/hermes.ts`; without it they start the sources.
 */
import { removeTree } from "../src/util/remove_tree.ts";
import { shellQuote } from "../src/util/shell_quote.ts";
import { PORTABLE_FLAGS } from "../src/util/runtime.ts";
import { ROOT } from "./_tree.ts";
import { buildApp } from "./build_app.ts";

export interface TestBundle extends AsyncDisposable {
  /** The executable. */
  path: string;
}

/** Bundles the tree as it is now; the directory goes with the last line of the run. */
export async function makeTestBundle(): Promise<TestBundle> {
  const directory = await Deno.makeTempDir({ prefix: "hermes-suite-" });
  const dispose = () => removeTree(directory);
  try {
    const main = await buildApp(`${directory}/app`);
    const { unstable } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
    // Children of hermes are started without the flags below.
    await Deno.writeTextFile(`${directory}/deno.json`, JSON.stringify({ unstable }));
    const path = `${directory}/hermes`;
    await Deno.writeTextFile(path, launcher(directory, main), { mode: 0o755 });
    return { path, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Compiled code is kept with the bundle; what hermes starts gets the cache of the caller back. */
function launcher(directory: string, main: string): string {
  const command = [Deno.execPath(), ...PORTABLE_FLAGS, main].map(shellQuote).join(" ");
  return `#!/bin/sh
HERMES_DENO_DIR=\${DENO_DIR-} DENO_DIR=${shellQuote(`${directory}/cache`)}
export HERMES_DENO_DIR DENO_DIR
exec ${command} "$@"
`;
}
