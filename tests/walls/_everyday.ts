/**
 * Runs the rows of one group twice, behind the walls and without, at the same time: a driver
 * script runs all rows in one invocation, each in its own directory, and prints what came of them.
 */
import type { SandboxMode } from "../../src/protocol/sandbox.ts";
import { exists } from "../../src/util/exists.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import type { EverydayGroup, EverydayRow } from "./_everyday_row.ts";
import { makeHome } from "./_home.ts";
import { freePort, type Machine } from "./_machine.ts";
import { NOBODY, plainRun, sandboxRun, type WallsUser } from "./_sandbox_run.ts";

const ROW_SECONDS = 40;
const GROUP_MS = 240_000;
/** Below `dist`, which git ignores: filled once per checkout, since that takes half a minute. */
const GO_CACHE = new URL("../../dist/cache/walls-go", import.meta.url).pathname;

export interface RowResult {
  code: number;
  stdout: string;
  stderr: string;
  /** Hashes of the files in the row's directory. */
  files: string;
}

export interface Side {
  mode: SandboxMode;
  root: string;
  results: ReadonlyMap<string, RowResult>;
}

interface SideOptions {
  machine: Machine;
  mode: SandboxMode;
  user: WallsUser;
  rows: readonly EverydayRow[];
}

/** Prepares and runs one side of a group. */
export async function runSide(group: EverydayGroup, options: SideOptions): Promise<Side> {
  const { machine, mode, user, rows } = options;
  // Names of one length, so that no output is laid out differently.
  const base = `${machine.directory}/${crypto.randomUUID().slice(0, 8)}`;
  const home = `${base}/home`;
  const root = `${home}/work`;
  await makeHome(home, "everyday");
  await Deno.mkdir(root);
  const env = { ...machine.env(user), HOME: home, WALLS_ROOT: root, LANG: "C.UTF-8" };
  if (group.needs.includes("go")) await layGoCache(root, env);
  await Deno.writeTextFile(`${root}/.prepare.sh`, prepareScript(group, rows));
  if (user === "nobody") await plainRun(["chown", "-R", `${NOBODY}:${NOBODY}`, base], { env });
  await plainRun(["bash", `${root}/.prepare.sh`], { cwd: root, env, user });
  const run = { mode, home, user, env: machine.env(user), timeoutMs: GROUP_MS };
  const results = new Map<string, RowResult>();
  const port = freePort();
  const take = async (cwd: string, wanted: readonly EverydayRow[]): Promise<void> => {
    if (wanted.length === 0) return;
    const script = driverScript(group, { rows: wanted, root, port });
    await Deno.writeTextFile(`${root}/.drive.sh`, script);
    const outcome = await sandboxRun({ ...run, cwd, argv: ["bash", `${root}/.drive.sh`] });
    for (const [id, result] of parseResults(outcome)) results.set(id, result);
    if (outcome.code !== 0) throw new Error(`${group.name}: ${outcome.code}: ${outcome.stderr}`);
  };
  await take(root, rows.filter((row) => !row.ownWorkspace));
  for (const row of rows.filter(({ ownWorkspace }) => ownWorkspace)) {
    await take(`${root}/rows/${row.id}`, [row]);
  }
  for (const row of rows) {
    const result = results.get(row.id);
    if (result === undefined || !row.compare.includes("files")) continue;
    result.files = await fingerprint(`${root}/rows/${row.id}`, env);
  }
  return { mode, root: base, results };
}

/** Makes the fixture, and a copy of it for every row. */
function prepareScript(group: EverydayGroup, rows: readonly EverydayRow[]): string {
  const lines = ["set -e", "mkdir -p fixture rows", "cd fixture", group.fixture, "cd .."];
  for (const { id, setup } of rows) {
    lines.push(`cp -a fixture rows/${id}`);
    if (setup !== undefined) lines.push(`(cd rows/${id}; ${setup})`);
  }
  return lines.join("\n");
}

/** Prints `id code base64` for every row; what rows say on stderr follows a line with their id. */
function driverScript(
  group: EverydayGroup,
  { rows, root, port }: { rows: readonly EverydayRow[]; root: string; port: number },
): string {
  const lines = [
    `export WALLS_ROOT=${shellQuote(root)} WALLS_PORT=${port} LANG=C.UTF-8`,
    'run() { echo "== $1" >&2; local out; out=$(cd "$WALLS_ROOT/rows/$1" && ' +
    `timeout -k 2 ${ROW_SECONDS} bash -c "$2" < /dev/null | base64 -w0; exit $` +
    '{PIPESTATUS[0]}); echo "$1 $? $out"; }',
  ];
  for (const { id, command } of rows) {
    lines.push(`run ${id} ${shellQuote(`${group.prelude ?? ""}\n${command}`)}`);
  }
  return [...lines, "exit 0"].join("\n");
}

function parseResults({ stdout, stderr }: { stdout: string; stderr: string }) {
  const said = new Map<string, string>();
  for (const part of stderr.split(/^== /m).slice(1)) {
    const [id = "", ...lines] = part.split("\n");
    said.set(id, lines.join("\n"));
  }
  const found = new Map<string, RowResult>();
  for (const line of stdout.trimEnd().split("\n")) {
    const [id = "", code = "", text = ""] = line.split(" ");
    const bytes = Uint8Array.fromBase64(text);
    found.set(id, {
      code: Number(code),
      stdout: new TextDecoder().decode(bytes),
      stderr: said.get(id) ?? "",
      files: "",
    });
  }
  return found;
}

/** Names, modes and contents of the files below `directory`, but for what git keeps. */
async function fingerprint(directory: string, env: Record<string, string>): Promise<string> {
  const look = "find . -name .git -prune -o -printf '%y %m %P %l\\n' | sort; " +
    "find . -name .git -prune -o -type f -print0 | sort -z | xargs -0r sha256sum";
  return await plainRun(["sh", "-c", look], { cwd: directory, env });
}

/** A cache of compiled packages of the standard library, laid below `root` by hard links. */
async function layGoCache(root: string, env: Record<string, string>): Promise<void> {
  if (!await exists(`${GO_CACHE}/README`)) {
    const fill = `mkdir -p "$GOCACHE" && cd "$(mktemp -d)" && trap 'rm -rf "$PWD"' EXIT && ` +
      "printf 'module x\\n\\ngo 1.21\\n' > go.mod && " +
      "printf 'package main\\n\\nimport \"fmt\"\\n\\nfunc main() { fmt.Println() }\\n' > m.go && " +
      "printf 'package main\\n\\nimport \"testing\"\\n\\nfunc TestX(t *testing.T) {}\\n' > m_test.go && " +
      "go build -o x . && go test . > t && go vet .";
    const more = { GOCACHE: GO_CACHE, GOTOOLCHAIN: "local", GOPROXY: "off" };
    await plainRun(["bash", "-c", fill], { env: { ...env, ...more } });
  }
  await plainRun(["cp", "-r", GO_CACHE, `${root}/.go-cache`], { env });
}
