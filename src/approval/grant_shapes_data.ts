/**
 * Programs whose arguments have a shape that a yes may cover: which words stay as they are and
 * which may differ inside the project. A program that runs text it is given, reaches a network
 * address or changes something outside the project has no row, and so has no shape.
 */

export interface ShapeRow {
  /** Single-letter options, bundled or not; none of them takes a value. */
  letters?: string;
  /** Long options without a value. */
  options?: readonly string[];
  /** Operands after the subcommand that stay as they are: a remote, a mode. */
  fixed?: number;
  /** Most operands that may differ; default any number. */
  most?: number;
}

const DELETE: ShapeRow = {
  letters: "rRfvdiI",
  options: ["--recursive", "--force", "--verbose", "--dir"],
};
const COPY: ShapeRow = {
  letters: "rRaPfinpuvT",
  options: ["--recursive", "--archive", "--force", "--no-clobber", "--update", "--verbose"],
};
const SCRIPT: ShapeRow = { options: ["--silent", "--if-present"], most: 1 };
const LOOK: ShapeRow = { letters: "aAbcCdfFgGhHiklLmnNopqrRsStuUvxX1" };

/** Rows by program, or by program and subcommand. */
export const SHAPES: Readonly<Record<string, ShapeRow>> = {
  rm: DELETE,
  rmdir: { letters: "pv", options: ["--parents", "--verbose"] },
  mkdir: { letters: "pv", options: ["--parents", "--verbose"] },
  touch: { letters: "acm" },
  cp: COPY,
  mv: { letters: "finuvT", options: ["--force", "--no-clobber", "--update", "--verbose"] },
  chmod: { letters: "Rcfv", options: ["--recursive", "--verbose"], fixed: 1 },
  ls: LOOK,
  cat: { letters: "AbEnsTtuv" },
  wc: { letters: "clmwL" },
  stat: { letters: "L" },
  file: { letters: "bL" },
  "git add": { letters: "AfuvN", options: ["--all", "--force", "--update", "--verbose"] },
  "git rm": { letters: "rfnq", options: ["--cached", "--force", "--quiet"] },
  "git restore": { letters: "SW", options: ["--staged", "--worktree"] },
  "git clean": { letters: "dfnqx", options: ["--force", "--dry-run"] },
  "git checkout": { letters: "bBfq", options: ["--force", "--quiet"] },
  "git switch": { letters: "cCfq", options: ["--force", "--discard-changes", "--quiet"] },
  "git branch": { letters: "dDfmM", options: ["--delete", "--force"] },
  "git tag": { letters: "df", options: ["--delete", "--force"] },
  "git push": {
    letters: "dfnquv",
    options: [
      "--delete",
      "--dry-run",
      "--follow-tags",
      "--force",
      "--force-with-lease",
      "--quiet",
      "--set-upstream",
      "--tags",
    ],
    fixed: 1,
  },
  "npm run": SCRIPT,
  "pnpm run": SCRIPT,
  "yarn run": SCRIPT,
  "bun run": { most: 1 },
  "deno task": { options: ["--quiet"], most: 1 },
  "deno check": { options: ["--quiet"] },
  "deno fmt": { options: ["--check", "--quiet"] },
  "deno lint": { options: ["--quiet"] },
  make: { letters: "Bknsq", options: ["--silent", "--keep-going", "--dry-run"] },
  pytest: { letters: "qvxs", options: ["--quiet", "--verbose", "--exitfirst"] },
  "go test": { letters: "v" },
  "go build": { letters: "v" },
  "go vet": {},
  "cargo build": { letters: "qvr", options: ["--release", "--locked", "--offline", "--workspace"] },
  "cargo check": { letters: "qv", options: ["--locked", "--offline", "--workspace"] },
  "cargo test": { letters: "qvr", options: ["--release", "--locked", "--offline", "--workspace"] },
};
