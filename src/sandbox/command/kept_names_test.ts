import assert from "node:assert/strict";
import { protectionOf } from "../../util/protected_paths.ts";
import { ANYWHERE_ROWS, type ProtectedKind } from "../../util/protected_paths_data.ts";
import { KEPT_NAMES, type KeptRole } from "./kept_files_data.ts";
import { namedEntry } from "./kept_names.ts";

const PLACES = { homes: [], hermesHomes: [], trustedBase: [] };
const KINDS: ReadonlySet<ProtectedKind> = new Set<ProtectedKind>([
  "git settings",
  "editor settings",
  "ci settings",
  "instructions",
  "env file",
]);

/** Every kept path that the table names, with its kind. */
function tablePaths(role: KeptRole, base: string, depth = 0): string[] {
  const { files, directories, others } = KEPT_NAMES[role];
  const paths = files === "all" ? ["any"] : [...files];
  if (role === "project") paths.push(".git");
  const below = Object.entries(directories);
  if (others !== undefined) below.push(["sub", others]);
  if (role === "project") below.push(["bare.git", "git"]);
  if (depth < 4) {
    for (const [name, next] of below) paths.push(...tablePaths(next, name, depth + 1));
  }
  return paths.map((path) => `${base}/${path}`);
}

/** What the table says about a path below a project. */
function keptKind(path: string): ProtectedKind | undefined {
  let role: KeptRole = "project";
  const parts = path.split("/").filter(Boolean);
  const last = parts.pop()!;
  for (const name of parts) {
    const named = namedEntry(role, { name, isDirectory: true, isSymlink: false });
    if (named?.type !== "directory") return undefined;
    role = named.role;
  }
  const named = namedEntry(role, { name: last, isDirectory: false, isSymlink: false });
  return named?.type === "file" ? named.kind : undefined;
}

/** Texts that a pattern of the rules matches: every alternative, with and without options. */
function expand(source: string): string[] {
  let at = 0;
  function alternatives(): string[] {
    const found: string[] = [];
    do found.push(...sequence()); while (source[at] === "|" && ++at > 0);
    return found;
  }
  function sequence(): string[] {
    let texts = [""];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      let next = item();
      const isOptional = source[at] === "?" || source[at] === "*";
      if (isOptional || source[at] === "+") at++;
      if (isOptional) next = ["", ...next];
      texts = texts.flatMap((text) => next.map((one) => text + one));
    }
    return texts;
  }
  function item(): string[] {
    const char = source[at++]!;
    if (char === "^" || char === "$") return [""];
    if (char === ".") return [""];
    if (char === "\\") return [source[at++]!];
    if (char === "[") {
      at = source.indexOf("]", at) + 1;
      return ["x"];
    }
    if (char !== "(") return [char];
    const isNot = source.startsWith("?!", at);
    at += 2;
    const inside = alternatives();
    at++;
    return isNot ? [""] : inside;
  }
  return alternatives();
}

Deno.test("the table of kept names holds nothing that is not protected, and names its kind", () => {
  for (const path of tablePaths("project", "")) {
    const expected = protectionOf(`/w${path}`, PLACES)?.kind;
    assert.ok(expected !== undefined && KINDS.has(expected), path);
    assert.equal(keptKind(path), expected, path);
    assert.equal(keptKind(path.toUpperCase()), expected, path);
  }
});

Deno.test("the table of kept names holds every name of the protection rules", () => {
  const rows = ANYWHERE_ROWS.filter(({ kind }) => KINDS.has(kind));
  let count = 0;
  for (const { kind, pattern } of rows) {
    for (const text of new Set(expand(pattern.source))) {
      const path = (text.endsWith("/") ? `${text}any` : text).replaceAll("//", "/m/");
      assert.equal(protectionOf(`/w/${path}`.replaceAll("//", "/"), PLACES)?.kind, kind, path);
      // Variables are for programs to read: only the one that a shell runs is kept.
      if (kind === "env file" && !path.endsWith("/.envrc")) continue;
      // Git keeps nothing of that name there.
      if (/^\.git\/worktrees\/(?!m\/)/.test(path)) continue;
      assert.equal(keptKind(path), kind, path);
      count++;
    }
  }
  assert.ok(count > 60, `${count} names`);
});

Deno.test("namedEntry() takes a link at the name of a directory for a kept file", () => {
  const link = { isDirectory: false, isSymlink: true };
  assert.deepEqual(namedEntry("project", { name: ".vscode", ...link }), {
    type: "file",
    kind: "editor settings",
  });
  assert.equal(namedEntry("git", { name: "hooks", ...link })?.type, "file");
  assert.equal(namedEntry("git module", { name: "m", ...link })?.type, "file");
  assert.equal(namedEntry("project", { name: "src", ...link }), undefined);
});

Deno.test("namedEntry() leaves ordinary files alone", () => {
  const file = { isDirectory: false, isSymlink: false };
  for (
    const name of ["README.md", ".gitignore", ".env.example", "agents.md.txt", ".env", ".env.local"]
  ) {
    assert.equal(namedEntry("project", { name, ...file }), undefined, name);
  }
  assert.equal(namedEntry("hooks", { name: "pre-commit.sample", ...file }), undefined);
  assert.equal(namedEntry("git", { name: "index", ...file }), undefined);
  assert.equal(
    namedEntry("git module", { name: "objects", isDirectory: true, isSymlink: false }),
    undefined,
  );
});
