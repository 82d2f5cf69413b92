/** Which words of a hook's command run files, and which places belong to the system. */

/** Programs whose first file argument is a script, by base name. */
export const INTERPRETER =
  /^(?:(?:ba|da|z|k|mk|c|tc|fi|a)?sh|busybox|python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|tsx|ts-node|lua[\d.]*|php[\d.]*|Rscript|tclsh[\d.]*|expect|osascript|pwsh|guile|elixir|escript)$/;

/** Shells: their `-c` text is a program whose command words are looked up on the PATH. */
export const SHELL = /^(?:(?:ba|da|z|k|mk|c|tc|fi|a)?sh|busybox)$/;

export const PYTHON = /^(?:python|pypy)[\d.]*$/;

/** Programs that find their modules by where a script lies: those run in their place. */
export const PLACED = /^(?:node|nodejs|deno|bun|tsx|ts-node|java|php[\d.]*|ruby[\d.]*)$/;

/** Programs that start the program their arguments name. */
export const WRAPPER =
  /^(?:env|nice|nohup|timeout|setsid|stdbuf|ionice|chrt|taskset|sudo|doas|time|xargs|busybox|flock|script|unshare|strace|ltrace|watch|parallel|command|exec|setarch|firejail|bwrap|npx|uv|uvx|poetry|bundle)$/;

/** Variables whose value is a file that is run or loaded before anything else. */
export const RUN_BY_VARIABLE = /^(?:BASH_ENV|ENV|PYTHONSTARTUP|LD_PRELOAD|LD_AUDIT)=/;

/** Of a shell: the next word is the program itself. */
export const SHELL_TEXT = /^-[a-zA-Z]*c[a-zA-Z]*$/;

/** The same of other interpreters; after such a word no file is a script. */
export const INLINE_OPTIONS: readonly { runner: RegExp; option: RegExp }[] = [
  { runner: SHELL, option: SHELL_TEXT },
  { runner: PYTHON, option: /^-[a-zA-Z]*[cm]$/ },
  { runner: /^php[\d.]*$/, option: /^-r$/ },
  { runner: /^perl[\d.]*$/, option: /^-[a-zA-Z]*[eE]/ },
  {
    runner: /^(?:node|nodejs|bun|ruby[\d.]*|lua[\d.]*)$/,
    option: /^-(?:e|p|pe)$|^--(?:eval|print)$/,
  },
  { runner: /^deno$/, option: /^(?:eval|task)$/ },
];

/** Options of interpreters whose next word is a file that is loaded before the script. */
export const LOADING_OPTION =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|--rcfile|--init-file|--config|--import-map)$/;

/** Programs that do what a file in a folder says, and the names of that file. */
export const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  npm: ["package.json"],
  npx: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
  deno: ["deno.json", "deno.jsonc"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
  invoke: ["tasks.py"],
  composer: ["composer.json"],
  "pre-commit": [".pre-commit-config.yaml"],
};

/** Ends of names that are run by something, whatever their mode says. */
export const SCRIPT_NAME =
  /\.(?:sh|bash|zsh|fish|ksh|py|pyc|pyz|pl|pm|rb|[cm]?[jt]s|[jt]sx|lua|php|r|awk|sed|jar|wasm|tcl|ps1|scpt|jq|so)$/i;

/** Words of a script that ask where it lies. */
export const ASKS_WHERE =
  /\$\{?0\b|BASH_SOURCE|ZSH_ARGZERO|__file__|__path__|sys\.(?:argv|path)|FindBin|__FILE__|\$PROGRAM_NAME|readlink|realpath/;

/**
 * Where the system keeps its programs. Hermes that runs as root can change every file that only
 * root can change, so that then only these places count as the system's.
 */
export const SYSTEM_PLACES =
  /^\/(?:usr\/)?(?:bin|sbin|lib|lib32|lib64|libx32|libexec)\/|^\/(?:System|Library\/Apple)\//;
