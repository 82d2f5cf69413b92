/**
 * The same behaviour in every build: suites that drive hermes as a program run again against the
 * artefact, on a bare machine. A new suite joins by using `tests/support`.
 */
import assert from "node:assert/strict";
import { typescriptFiles } from "../../scripts/_tree.ts";
import { TEST_BUNDLE } from "../support/hermes.ts";
import { type Installed, ROOT, withInstalled } from "./support.ts";
import { LONG_TEST } from "../../scripts/test_limits.ts";

const DRIVES_HERMES =
  /import \{[^}]*\b(?:runHermes|startHermes|hermesCommand|withJob)\b[^}]*\} from "/;
const LOCAL_IMPORT = /from "(\.[^"]+)"/g;

/**
 * Run from source only, because the build has no part in what they prove: decisions and words of
 * one bundled program, in one process. Kept are those with something the build can break: children
 * and their modes, plugins' processes, signals, descriptors and variables that pass the stub,
 * packages that the bundler wraps, chunks that load late, and a machine without Deno.
 */
const ONLY_FROM_SOURCE: readonly RegExp[] = [
  // Two hundred kills are two hundred kills in any build.
  /^tests\/crash\//,
  // What is asked and refused; `run/contract` asks once through the artefact.
  /^tests\/approval\//,
  /^tests\/run\/approval_/,
  /^tests\/registry\/hooks_consent_/,
  /^tests\/plugins\/pins_/,
  // Bad input of every kind is answered in one line; `run/contract` has one of each exit code.
  /^tests\/run\/(?:bad_input|failures|flags|hang|liars|size_attack)_/,
  /^tests\/plugins\/hostile_site_/,
  /^tests\/cli\/(?:args_errors|terminal_text)_/,
  // Commands that read and write their own files; `surface_test.ts` runs each of them once.
  /^tests\/cli\/config_/,
  /^tests\/registry\/(?:hooks|tools)_command_/,
  /^tests\/store\/sessions_command_/,
  /^tests\/run\/source_/,
  // What is stored and sent, told from the text of it.
  /^tests\/run\/(?:resume_directory|secret_content|transcript)_/,
];

/** Of these suites only the tests with such names: the others run no hermes, or the same again. */
const PARTS: ReadonlyMap<string, RegExp> = new Map([
  // The packages of the clouds and the programs that are sent to a place.
  ["tests/run/environment_test.ts", /run --env \S+ runs tools/],
  ["tests/run/input_test.ts", /standard input|binary and empty stdin|reader that goes away/],
  ["tests/plugins/remote_test.ts", /a URL plugin headless|install pins every file/],
  ["tests/plugins/cache_test.ts", /plugins remove leaves nothing/],
  ["tests/plugins/chat_test.ts", /the chat shows plugins|ends with Ctrl-C/],
  ["tests/plugins/reference_test.ts", /14: the model sees/],
  ["tests/plugins/tutorial_test.ts", /through hermes run/],
  ["tests/store/processes_test.ts", /eight runs at once/],
  ["tests/cli/help_table_test.ts", /show the same text|in every spelling/],
]);

/**
 * What is left of the list where the same run gives a bundle of the same sources to every suite:
 * the stub in front of it, what it leaves in the environment, the runtime that is unpacked beside
 * the program, and a machine without Deno. A release has no such bundle: all of the list runs.
 */
const NOT_IN_BUNDLE: ReadonlyMap<string, RegExp> = new Map([
  ["tests/cli/doctor_test.ts", /finds nothing broken/],
  ["tests/plugins/chat_test.ts", /ends with Ctrl-C/],
  [
    "tests/plugins/command_test.ts",
    /a plugin whose test passes|wherever temporary files|process ends with hermes/,
  ],
  ["tests/plugins/remote_test.ts", /a URL plugin headless/],
  [
    "tests/run/contract_test.ts",
    /prints the answer alone|exits 130 on SIGINT|a SIGINT that a task runner/,
  ],
  ["tests/run/input_test.ts", /input that never ends|binary and empty stdin|reader that goes away/],
  ["tests/run/schedule_test.ts", /second Ctrl-C comes/],
]);
const WHOLE_NOT_IN_BUNDLE: readonly string[] = [
  "tests/run/secret_environ_test.ts",
  "tests/sandbox/run_test.ts",
  "tests/tools/trusted_base_test.ts",
];

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
  for (const [path, part] of [...PARTS, ...NOT_IN_BUNDLE]) {
    assert.ok(part.test(texts.get(path) ?? ""), `no test of ${path} has such a name: ${part}`);
  }
  const isWanted = (path: string) => !ONLY_FROM_SOURCE.some((pattern) => pattern.test(path));
  return all.filter((path) => path.endsWith("_test.ts") && isWanted(path) && drives(path));
}

Deno.test(
  "every suite that the build can break passes against the artefact",
  LONG_TEST,
  async () => {
    const suites = await programSuites();
    // One of each kind, so that a change of the imports cannot empty the list.
    for (const name of ["run/contract", "run/environment", "plugins/command", "sandbox/run"]) {
      assert.ok(suites.includes(`tests/${name}_test.ts`), suites.join(" "));
    }
    for (const path of [...WHOLE_NOT_IN_BUNDLE, ...NOT_IN_BUNDLE.keys()]) {
      assert.ok(suites.includes(path), `${path} drives no hermes`);
    }
    const isReduced = Deno.env.get(TEST_BUNDLE) && !Deno.env.get("HERMES_BIN");
    const parts = isReduced ? NOT_IN_BUNDLE : PARTS;
    const whole = isReduced ? WHOLE_NOT_IN_BUNDLE : suites.filter((path) => !PARTS.has(path));
    const names = [...parts.values()].map(({ source }) => source).join("|");
    await withInstalled(async (installed) => {
      await runSuites(installed, whole);
      await runSuites(installed, ["--filter", `/${names}/`, ...parts.keys()]);
    });
  },
);

async function runSuites({ machine, path }: Installed, words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--parallel", "--quiet", ...words],
    cwd: ROOT,
    // Other files run at the same time.
    env: { HERMES_BIN: path, PATH: machine.path, NO_COLOR: "1", DENO_JOBS: "2" },
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 0, `${decoder.decode(stdout)}${decoder.decode(stderr)}`);
}
