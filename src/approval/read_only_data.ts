/** Programs that are known to change nothing, and with which arguments. */

/** The ways in which a program may change something, or run a program that does. */
export interface ReadOnlyRow {
  /** Options under which the program does; letters bare, long names whole. Abbreviations count. */
  not?: readonly string[];
  /** Whole words under which the program does: `-delete`. */
  notWords?: readonly string[];
  /** Most operands with which the program does not: `uniq` writes its second operand. */
  operands?: number;
  /** The pattern of every operand. */
  operand?: RegExp;
  /** The pattern of the joined arguments. */
  args?: RegExp;
}

/** Programs that only read with any arguments, also with unknown ones. */
export const READERS: readonly string[] = (
  "cat head tail wc ls pwd echo true false test [ [[ : basename dirname realpath readlink stat du " +
  "df id whoami groups uname cut tr nl tac rev paste join comm fold fmt expand unexpand column cmp " +
  "diff md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump strings " +
  "seq sleep which type grep egrep fgrep jq ps free uptime nproc printenv getconf locale arch tty " +
  "factor expr cd pushd popd dirs exit return break continue zcat"
).split(" ");

/** A program that prints its version and does nothing else. */
const VERSION: ReadOnlyRow = { args: /^(?:--version|-version|-v|-V|version|--help|-h)$/ };

const GIT_LOOK: ReadOnlyRow = {
  not: ["output", "ext-diff", "textconv", "O", "open-files-in-pager", "upload-pack", "filters"],
};
const LIST_ONLY: ReadOnlyRow = {
  args:
    /^(?:-[alrv]{1,4}|--(?:all|list|remotes|verbose|show-current|sort=[\w:-]{1,40}|contains|merged|no-merged) ?)*$/,
};

/** Rows by program, or by program and subcommand. */
export const READ_ONLY: Readonly<Record<string, ReadOnlyRow>> = {
  printf: { notWords: ["-v"] },
  command: { args: /^-[vV] / },
  date: { not: ["s", "set"], operand: /^\+/ },
  hostname: { operands: 0, not: ["F", "file", "b", "boot"] },
  file: { not: ["C", "compile"] },
  xxd: { operands: 1, not: ["r"] },
  tree: { not: ["o", "output", "R"] },
  sort: { not: ["o", "output", "T", "temporary-directory", "compress-program"] },
  uniq: { operands: 1 },
  env: { operands: 0, not: ["S", "split-string"] },
  rg: { not: ["pre", "hostname-bin"] },
  find: {
    notWords: (
      "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from"
    ).split(" "),
  },
  fd: { not: ["x", "exec", "X", "exec-batch"] },
  // Prints lines by number or pattern, and nothing else.
  sed: {
    args: /^(?:-n|-E|-r|-nE|-En) (?:\d{1,9}(?:,(?:\d{1,9}|\$))?p|\$p|\/[\w .:_-]{1,200}\/p)(?: |$)/,
    not: ["i", "in-place", "f", "file", "e", "expression"],
  },
  awk: {
    args: /^(?:-F ?\S{1,9} )?\{ ?print(?: ?[$\w]{1,20},?){0,20} ?\}(?: |$)/,
    not: ["f", "i", "l", "E", "v", "file", "include", "load", "exec"],
  },
  "git status": GIT_LOOK,
  "git log": GIT_LOOK,
  "git diff": GIT_LOOK,
  "git show": GIT_LOOK,
  "git blame": GIT_LOOK,
  "git grep": GIT_LOOK,
  "git ls-files": GIT_LOOK,
  "git ls-tree": GIT_LOOK,
  "git rev-parse": GIT_LOOK,
  "git rev-list": GIT_LOOK,
  "git describe": GIT_LOOK,
  "git shortlog": GIT_LOOK,
  "git cat-file": GIT_LOOK,
  "git merge-base": GIT_LOOK,
  "git name-rev": GIT_LOOK,
  "git for-each-ref": GIT_LOOK,
  "git show-ref": { not: ["d", "exclude-existing"] },
  "git count-objects": GIT_LOOK,
  "git diff-tree": GIT_LOOK,
  "git check-ignore": GIT_LOOK,
  "git branch": LIST_ONLY,
  "git tag": LIST_ONLY,
  "git remote": { args: /^(?:-v|--verbose)?$/ },
  "git stash": { args: /^list(?: |$)/ },
  "git worktree": { args: /^list(?: |$)/ },
  "git submodule": { args: /^status(?: |$)/ },
  "git config": { args: /^(?:--(?:global|local|system) )?(?:--get|--get-all|--list|-l)(?: |$)/ },
  "git --version": {},
  "npm ls": {},
  node: VERSION,
  npm: VERSION,
  pnpm: VERSION,
  yarn: VERSION,
  bun: VERSION,
  deno: VERSION,
  python: VERSION,
  python3: VERSION,
  pip: VERSION,
  go: VERSION,
  cargo: VERSION,
  rustc: VERSION,
  java: VERSION,
  gcc: VERSION,
  clang: VERSION,
  make: VERSION,
  cmake: VERSION,
  docker: VERSION,
};

/** Programs that run another program, and change nothing by themselves. */
export const READ_ONLY_WRAPPERS: readonly string[] = ["xargs", "time", "nice", "timeout"];

/** Variables that a command may set and still change nothing. */
export const HARMLESS_VARIABLES =
  /^(?:LC_[A-Z]{1,20}|LANG|LANGUAGE|TZ|NO_COLOR|COLUMNS|PWD|OLDPWD|[a-z][a-z0-9_]{0,40})$/;
