/** Which files programs load as code: what to look at when such a file was written just before. */

export interface ProgramFileRow {
  programs: string;
  /** Options whose value is a file of code. */
  options?: readonly string[];
  /** Letters and names of other options that take a value. */
  values?: string;
  longValues?: readonly string[];
  /** Operands are files of code: the first, all, or the first after a word such as `run`. */
  operands?: "first" | "all" | "second";
  /** Options with which no operand is a file of code: `python -c`. */
  unless?: string;
  /** Files that are loaded without being named. */
  implicit?: readonly string[];
  /** Standard input is code where no file is named. */
  input?: true;
}

const PACKAGE = ["package.json"];

export const PROGRAM_FILE_ROWS: readonly ProgramFileRow[] = [
  {
    programs: "python pypy",
    values: "WXQcm",
    unless: "cm",
    operands: "first",
    input: true,
  },
  {
    programs: "node nodejs",
    values: "Cep",
    options: ["r", "require", "import", "loader", "experimental-loader"],
    unless: "ep",
    operands: "first",
    input: true,
  },
  { programs: "bun deno tsx ts-node", operands: "first", values: "c", longValues: ["config"] },
  { programs: "bun deno", operands: "second", values: "c", longValues: ["config"] },
  { programs: "perl", values: "IMmeE", unless: "eE", operands: "first", input: true },
  {
    programs: "ruby",
    values: "ICEFe",
    options: ["r"],
    unless: "e",
    operands: "first",
    input: true,
  },
  {
    programs: "php",
    values: "cdzrBRE",
    options: ["f", "F"],
    unless: "r",
    operands: "first",
    input: true,
  },
  { programs: "lua luajit", values: "le", operands: "first", input: true },
  { programs: "rscript julia osascript", values: "e", unless: "e", operands: "first", input: true },
  {
    programs:
      "tclsh wish expect guile racket sbcl clisp ocaml runghc elixir groovy scala kotlin swift crystal raku octave gforth jshell",
    operands: "first",
    input: true,
  },
  { programs: "r", options: ["f", "file"], input: true },
  { programs: "awk gawk mawk nawk", options: ["f", "file", "i", "include", "E", "exec"] },
  { programs: "sed gsed", options: ["f", "file"] },
  { programs: "dc bc m4", operands: "all", input: true },
  {
    programs: "make gmake",
    options: ["f", "file", "makefile"],
    implicit: ["Makefile", "makefile", "GNUmakefile"],
  },
  { programs: "ninja", options: ["f"], implicit: ["build.ninja"] },
  { programs: "cmake", options: ["P"] },
  { programs: "just", options: ["f", "justfile"], implicit: ["justfile", "Justfile"] },
  { programs: "task", options: ["t", "taskfile"], implicit: ["Taskfile.yml", "Taskfile.yaml"] },
  { programs: "rake", options: ["f", "rakefile"], implicit: ["Rakefile"] },
  { programs: "npm pnpm yarn bun", implicit: PACKAGE },
  { programs: "go", operands: "second" },
  { programs: "rustc", operands: "first" },
  { programs: "pytest", operands: "all", implicit: ["conftest.py"] },
  { programs: "ansible-playbook", operands: "all", values: "i" },
  { programs: "gdb lldb", options: ["x", "command", "s", "source"], input: true },
  { programs: "vim vi nvim ex view emacs", options: ["S", "s", "u", "l", "load", "script"] },
  { programs: "ed ex", input: true },
  { programs: "psql", options: ["f", "file"], input: true },
  { programs: "sqlite3 sqlite", options: ["-init", "init"], input: true },
  { programs: "mysql mariadb", input: true },
  { programs: "at batch", options: ["f"], input: true },
  { programs: "parallel", options: ["a", "arg-file"], input: true },
  { programs: "curl", options: ["K", "config"] },
  { programs: "git", options: ["exec-path"] },
  {
    programs: "docker-compose",
    options: ["f", "file"],
    implicit: ["docker-compose.yml", "compose.yaml"],
  },
  { programs: "busybox toybox", operands: "first" },
  { programs: "hash", options: ["p"] },
  { programs: "enable", options: ["f"] },
  { programs: "jjs tcc", options: ["-run"], operands: "first" },
];

/** What they write is made of their input: harmless unless that was written just before as well. */
export const TRANSLATORS =
  /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|go|cargo|javac|kotlinc|swiftc|ghc|tsc|esbuild|webpack|rollup|vite|ld|ar|zig|nim|dmd|gfortran|nasm|make|cmake|ninja|msbuild|dotnet|mvn|gradle|git|npm|pnpm|yarn|pip|pip3|uv|poetry|protoc|pyinstaller|ncc|pkg|bun|deno)$/;

/** Places of the programs that come with the machine. */
export const SYSTEM_PROGRAM =
  /^(?:\/(?:usr\/)?(?:local\/)?s?bin|\/opt\/[^/]+\/bin|\/nix\/store\/[^/]+\/bin|\/snap\/bin)\/[^/]+$|^\/proc\/[^/]+\/exe$|^\/(?:usr\/)?lib\d*\/(?:.*\/)?ld-[^/]*$/;
