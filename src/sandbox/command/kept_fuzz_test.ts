import assert from "node:assert/strict";
import { KeptWorkspace } from "../../../tests/support/kept_workspace.ts";
import type { KeptRole } from "./kept_files_data.ts";
import { namedEntry } from "./kept_names.ts";

const KEPT = {
  "AGENTS.md": "agents",
  ".envrc": "A=1",
  ".github/workflows/ci.yml": "on: push",
  ".vscode/tasks.json": "{}",
  ".claude/a/b.md": "b",
  ".git/config": "[core]\n\thooksPath = .husky\n",
  ".git/hooks/pre-commit": "#!/bin/sh",
  ".idea/runConfigurations/x.xml": "<x/>",
};
const ORDINARY = {
  ".env": "B=1",
  ".github/dependabot.yml": "version: 2",
  "a.txt": "a",
  "src/b.txt": "b",
  "src/sub/c.txt": "c",
  ".vscode/extensions.json": "[]",
  ".git/index": "i",
};

const NAMES = [
  ...Object.keys(KEPT),
  ...Object.keys(ORDINARY),
  "src src/sub .vscode .claude .claude/a .git .git/hooks .idea .idea/runConfigurations .github/workflows"
    .split(" "),
  "CLAUDE.md .mcp.json .cursor .cursor/x .git/hooks/new .github .circleci .env.local n1 n2 src/n3"
    .split(" "),
].flat();

interface Seen {
  mode: number;
  /** The text of a file, `-> target` of a link, `/` for a directory. */
  what: string;
}

function snapshot(root: string): Map<string, Seen> {
  const seen = new Map<string, Seen>();
  const queue = [""];
  for (const directory of queue) {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(`${root}/${directory}`)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      const mode = Deno.lstatSync(`${root}/${path}`).mode! & 0o7777;
      if (isDirectory) queue.push(path);
      const what = isDirectory
        ? "/"
        : isSymlink
        ? `-> ${Deno.readLinkSync(`${root}/${path}`)}`
        : Deno.readTextFileSync(`${root}/${path}`);
      seen.set(path, { mode, what });
    }
  }
  return seen;
}

function stored(work: KeptWorkspace): Iterable<Seen> {
  try {
    return snapshot(work.storeDir).values();
  } catch {
    return []; // Nothing was stored yet.
  }
}

/** True for what `check()` looks after at the top of a workspace. */
function isKept(path: string, seen: ReadonlyMap<string, Seen>): boolean {
  let role: KeptRole = "project";
  let at = "";
  for (const name of path.split("/")) {
    at = at === "" ? name : `${at}/${name}`;
    const { what } = seen.get(at)!;
    const type = { name, isDirectory: what === "/", isSymlink: what.startsWith("-> ") };
    const named = namedEntry(role, type);
    if (named?.type !== "directory") return named !== undefined;
    role = named.role;
  }
  return false;
}

function operations(random: (below: number) => number, step: number): string {
  const pick = () => `'${NAMES[random(NAMES.length)]}'`;
  const makers: (() => string)[] = [
    () => `echo token${step}-${random(1e6)} > ${pick()}`,
    () => `echo token${step}-${random(1e6)} >> ${pick()}`,
    () => `mv ${pick()} ${pick()}`,
    () => `mv -T ${pick()} ${pick()}`,
    () => `ln ${pick()} ${pick()}`,
    () => `ln -s "$PWD"/${pick()} ${pick()}`,
    () => `ln -sfn ${pick()} ${pick()}`,
    () => `chmod ${["755", "700", "4755", "777"][random(4)]} ${pick()}`,
    () => `rm -rf ${pick()}`,
    () => `rm -rf ${pick()} && mkdir -p ${pick()}`,
    () => `mkdir -p ${pick()}/deep && echo token${step}-${random(1e6)} > ${pick()}/deep/file`,
    () => `cp -a ${pick()} ${pick()}`,
    () => `truncate -s ${random(9)} ${pick()}`,
    () => `touch -d '2020-01-01' ${pick()}`,
    () => `F=${pick()}; cp -p "$F" ref; echo evil > "$F"; touch -r ref "$F"; rm -f ref`,
  ];
  return Array.from(
    { length: 1 + random(6) },
    () => `{ ${makers[random(makers.length)]!()}; } || :`,
  )
    .join("\n");
}

async function fuzz(seed: number): Promise<void> {
  let state = seed;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
  await using work = new KeptWorkspace({ ...KEPT, ...ORDINARY });
  await Deno.chmod(work.at(".git/hooks/pre-commit"), 0o755);
  const first = snapshot(work.root);
  const kept = work.kept();
  for (let step = 0; step < 6; step++) {
    const script = operations(random, step);
    const label = `seed ${seed}, step ${step}:\n${script}`;
    kept.beforeCommand();
    work.sh(`{ ${script}\n} 2> /dev/null`);
    const before = snapshot(work.root);
    kept.check();
    const after = snapshot(work.root);
    for (const path of Object.keys(KEPT)) {
      assert.deepEqual(after.get(path), first.get(path), `${path}, ${label}`);
    }
    for (const path of after.keys()) {
      if (isKept(path, after)) assert.ok(path in KEPT, `${path} is new, ${label}`);
    }
    const left = [...after.values(), ...stored(work)].map(({ what }) => what);
    for (const [path, { mode, what }] of before) {
      if (what === "/" || isKept(path, before)) continue;
      const now = after.get(path);
      if (now === undefined) {
        // Moved aside, or back with its directory, where a kept file is stored.
        assert.ok(left.includes(what), `${path} is lost, ${label}`);
      } else if (!(path in ORDINARY && path.startsWith("."))) {
        assert.deepEqual(now, { mode, what }, `${path} was touched, ${label}`);
      }
    }
    assert.deepEqual(kept.backgroundEnded(), [], `the second comparison, ${label}`);
  }
}

/** Four hundred were clean; this many take a second. */
const SEEDS = 10;

Deno.test("KeptFiles.check() leaves kept files as they were after random file operations", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await fuzz(seed * 7919);
});
