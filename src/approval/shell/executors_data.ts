/**
 * Everything that executes text it was given: variables, shell builtins and options of programs.
 * One row a construct: where its text stands. A text that is known is judged like a command, one
 * that is not is a finding; nothing here decides what is harmless.
 */

/**
 * How a text is executed. `shell`: as a command. `expanded`: as a prompt or a here-document, so
 * that only substitutions run. `code`: in another language, or by loading a file, which nobody
 * here can read.
 */
export type Execution = "shell" | "expanded" | "code";

export interface VariableRow {
  names: RegExp;
  runs: Execution;
  /** Values that execute nothing. */
  harmless?: RegExp;
  /** Who runs it hands it text of its own: a page, a message, a file. */
  fed?: true;
}

/** Variables whose value is executed by the shell or by programs that find it. First match wins. */
export const VARIABLE_ROWS: readonly VariableRow[] = [
  { names: /^(?:PS[0-4]|PROMPT|RPROMPT|RPS1)$/, runs: "expanded" },
  {
    names:
      /^(?:(?:[A-Z]+_)*(?:PAGER|EDITOR|BROWSER|ASKPASS|RSH)|MANPAGER|VISUAL|FCEDIT|GIT_SSH|GIT_SSH_COMMAND|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|GIT_ALTERNATE_REF_BACKENDS|LESSOPEN|LESSCLOSE|SVN_SSH|HGEDITOR|HGMERGE)$/,
    runs: "shell",
    fed: true,
    // Compressed files are shown by the filter that comes with less.
    harmless: /^$|^\|\s*\S*lesspipe(?:\.sh)? %s$/,
  },
  {
    names:
      /^(?:PROMPT_COMMAND|BASH_ALIASES|RUSTC(?:_WORKSPACE)?_WRAPPER|CARGO_[A-Z_\d]+_(?:RUNNER|LINKER)|SHELL|CONFIG_SHELL|MAKESHELL|npm_config_(?:script_shell|shell|editor|viewer)|FZF_DEFAULT_COMMAND|CC|CXX|CPP|LD|AR|AS|NM|STRIP|OBJDUMP|MAKE|CMAKE|PYTHON3?|PIP|PERL|RUBY|NODE|NPM|YARN|PNPM|GO|CARGO|RUSTC|JAVA|JAVAC|GRADLE|MVN|DOCKER|COMPOSE|KUBECTL|HELM|TERRAFORM|GIT|SUDO)$/,
    runs: "shell",
    harmless: /^$/,
  },
  {
    names:
      /^(?:BASH_ENV|BASH_FUNC_.*|BASH_CMDS|BASH_LOADABLES_PATH|SHELLOPTS|BASHOPTS|CDPATH|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5DB|RUBYOPT|NODE_REPL_EXTERNAL_MODULE|TAR_OPTIONS|MAKEFILES|VIMINIT|GVIMINIT|EXINIT|MYVIMRC|PSQLRC|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG(?:_GLOBAL|_SYSTEM|_COUNT|_PARAMETERS|_(?:KEY|VALUE)_\d+)?)$/,
    runs: "code",
    harmless: /^(?:\/dev\/null)?$/,
  },
  // These only execute with certain words in them.
  { names: /^ENV$/, runs: "code", harmless: /^[\w.-]*$/ },
  {
    names: /^NODE_OPTIONS$/,
    runs: "code",
    harmless:
      /^(?!.*(?:--(?:require|import|loader|experimental-loader|eval|env-file)|(?:^|\s)-[a-z]*[re])\b)/s,
  },
  {
    names: /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|MAVEN_OPTS)$/,
    runs: "code",
    harmless: /^(?!.*(?:-javaagent|-agent(?:lib|path)|OnOutOfMemoryError|OnError))/s,
  },
  {
    names: /^(?:GNU)?MAKEFLAGS$/,
    runs: "code",
    harmless: /^(?!.*(?:eval|SHELL|(?:^|\s)-?\w*f|--file|--makefile))/s,
  },
  { names: /^GOFLAGS$/, runs: "code", harmless: /^(?!.*(?:toolexec|-exec|overlay|modfile))/s },
  {
    names: /^PATH$/,
    runs: "code",
    harmless:
      /^(?!(?:.*:)?(?:\.{0,2}|(?:\/var|\/private)*\/tmp(?:\/[^:]*)?|\/dev\/shm[^:]*|\.{1,2}\/[^:]*)(?::|$))/s,
  },
  { names: /^RUSTFLAGS$/, runs: "code", harmless: /^(?!.*linker)/s },
];

export interface ExecutorRow {
  programs: string;
  /** Words that must come first: `send-email` for `git send-email`. */
  after?: string;
  /** Options whose value is executed: letters, long names, or whole words with their dash. */
  options?: readonly string[];
  /** Every operand from this position on is executed. */
  operands?: number;
  /** The part of a value that is executed: group 1, or all of it. Without a match nothing is. */
  text?: RegExp;
  /** Arguments of any kind in which this matches; group 1 is the text. */
  anywhere?: RegExp;
  /** Standard input is executed too. */
  input?: true;
  /** The program writes what the text reads. */
  fed?: true;
  runs: Execution;
}

/** Builtins and programs that execute text, beside the wrappers and the interpreters. */
export const EXECUTOR_ROWS: readonly ExecutorRow[] = [
  // Builtins of the shell.
  { programs: "compgen complete", options: ["F"], runs: "shell" },
  { programs: "compgen complete", options: ["W", "P", "S", "X", "G"], runs: "expanded" },
  { programs: "hash", options: ["p"], runs: "code" },
  { programs: "enable", options: ["f"], runs: "code" },
  { programs: "bind", options: ["x", "f"], runs: "code" },
  { programs: "fc", operands: 0, runs: "code" },
  { programs: "fc", options: ["s", "e"], runs: "code" },
  { programs: "history", options: ["r", "n", "p"], runs: "code" },
  { programs: "export", options: ["f"], runs: "code" },
  { programs: "declare typeset local", options: ["n"], runs: "code" },
  // Editors and pagers.
  {
    programs: "vim vi nvim view vimdiff gvim ex rvim",
    options: ["c", "cmd", "S", "s", "u"],
    runs: "code",
  },
  {
    programs: "vim vi nvim view vimdiff gvim ex rvim",
    anywhere: /^\+(?!\d*$|\/|\$$)(.*)/s,
    runs: "code",
  },
  { programs: "ed red", input: true, runs: "code" },
  { programs: "ex vim vi nvim", input: true, runs: "code" },
  {
    programs: "emacs emacsclient",
    options: ["eval", "execute", "e", "f", "funcall", "l", "load", "script"],
    runs: "code",
  },
  { programs: "less more most", anywhere: /^\+\+?(?![/?])(.*[!|#v].*)/s, runs: "code" },
  { programs: "man", options: ["P", "pager", "H", "html"], runs: "shell", fed: true },
  { programs: "ag ack", options: ["pager"], runs: "shell", fed: true },
  { programs: "bat batcat delta", options: ["pager"], runs: "shell", fed: true },
  // Files, archives, text.
  { programs: "split gsplit", options: ["filter"], runs: "shell", fed: true },
  { programs: "sort gsort", options: ["compress-program"], runs: "shell", fed: true },
  { programs: "rg ripgrep", options: ["pre", "hostname-bin"], runs: "shell", fed: true },
  { programs: "zip", options: ["TT", "-TT", "unzip-command"], runs: "shell", fed: true },
  { programs: "cpio", options: ["rsh-command"], runs: "shell" },
  {
    programs: "tar gtar bsdtar",
    options: ["F", "info-script", "new-volume-script", "rsh-command", "rmt-command", "to-command"],
    runs: "shell",
    fed: true,
  },
  { programs: "rsync", options: ["rsync-path"], runs: "shell" },
  { programs: "rsync", options: ["e", "rsh"], runs: "shell", fed: true },
  { programs: "fzf", options: ["preview", "bind"], runs: "shell" },
  { programs: "watchexec", options: ["shell"], runs: "shell" },
  { programs: "nodemon", options: ["exec", "x"], runs: "shell" },
  { programs: "entr", operands: 0, runs: "shell" },
  { programs: "m4", options: ["D"], runs: "code", text: /syscmd/ },
  { programs: "m4", input: true, runs: "code" },
  { programs: "dc", options: ["e", "expression"], runs: "code", text: /!/ },
  // Networks and databases.
  { programs: "scp sftp", options: ["S", "D"], runs: "shell", fed: true },
  {
    programs: "ssh scp sftp",
    options: ["o"],
    text: /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)[\s=]+(.*)/is,
    runs: "shell",
  },
  {
    programs: "ssh scp sftp",
    options: ["o"],
    text: /^\s*((?:PKCS11Provider|SecurityKeyProvider|Include|Match)\b.*)/is,
    runs: "code",
  },
  { programs: "ssh scp sftp", options: ["F", "I"], runs: "code" },
  { programs: "wget", options: ["use-askpass"], runs: "shell" },
  {
    programs: "wget",
    options: ["e", "execute"],
    text: /^\s*use_askpass\s*=\s*(.*)/is,
    runs: "shell",
  },
  {
    programs: "curl",
    options: ["K", "config"],
    text: /^(-|\/dev\/(?:stdin|fd\/.*)|\0.*)$/s,
    runs: "code",
  },
  {
    programs: "nc ncat netcat",
    options: ["e", "c", "exec", "sh-exec", "lua-exec"],
    runs: "shell",
    fed: true,
  },
  { programs: "socat", anywhere: /\b(?:exec|system)\s*:\s*(.*)/is, runs: "shell" },
  { programs: "tcpdump", options: ["z"], runs: "shell", fed: true },
  { programs: "nmap", options: ["script"], text: /([/.].*)/s, runs: "code" },
  { programs: "openssl", options: ["-engine", "-provider-path"], runs: "code" },
  { programs: "psql", anywhere: /(?:\\!|\\o\s*\||\\w\s*\||\bPROGRAM\s+')\s*(.*)/is, runs: "shell" },
  { programs: "mysql mariadb", anywhere: /(?:\\!|(?:^|;)\s*system\s)\s*(.*)/is, runs: "shell" },
  { programs: "mysql mariadb", options: ["pager"], runs: "shell", fed: true },
  { programs: "sqlite3 sqlite", anywhere: /\.(?:shell|system)\s+(.*)/is, runs: "shell" },
  {
    programs: "sqlite3 sqlite",
    anywhere:
      /(?:\.(?:import|output|once|excel)\s+["']?\|\s*|\bedit\s*\(|\.load\s|load_extension\s*\(|\.read\s+["']?\|\s*)(.*)/is,
    runs: "code",
  },
  {
    programs: "gdb lldb",
    options: ["ex", "-ex", "iex", "-iex", "eval-command", "o", "O", "one-line"],
    text:
      /^\s*(?:shell|!|pipe|\||py|gu|script|source|make|call|expr|p(?:rint)?\b.*\(|compile|platform|command|target|process|run|r\b|start|exec|remote|save|set\s+(?:exec|logging)).*/is,
    runs: "code",
  },
  { programs: "gdb lldb", options: ["-x", "command", "-s", "-S", "source"], runs: "code" },
  { programs: "ansible", options: ["a", "args"], runs: "shell" },
  { programs: "pdsh dsh clush", operands: 0, runs: "shell" },
  { programs: "salt-call salt", anywhere: /^(cmd\..*)/s, runs: "code" },
  // Builds and packages.
  { programs: "make gmake", options: ["eval"], runs: "code" },
  {
    programs: "make gmake",
    options: ["f", "file", "makefile"],
    text: /^(-|\/dev\/(?:stdin|fd\/.*)|\/proc\/.*|\0.*)$/s,
    runs: "code",
  },
  {
    programs: "make gmake",
    anywhere: /^(?:(?:SHELL|\.SHELLFLAGS|MAKE)\s*[:?+]*=|[^=!\s]+\s*!=)(.*)/s,
    runs: "shell",
  },
  {
    programs: "make gmake",
    anywhere: /(\$[({](?:shell|file|eval|guile|call)\s.*)/s,
    runs: "code",
  },
  { programs: "cmake", options: ["P"], runs: "code", text: /^(\/dev\/.*|\0.*)$/s },
  {
    programs: "gcc g++ cc c++ clang clang++",
    options: ["-wrapper", "wrapper", "-fplugin", "-specs", "-B"],
    runs: "code",
  },
  {
    programs: "gcc g++ cc c++ clang clang++",
    anywhere: /^(-(?:fplugin|specs|fuse-ld|load)=.*)/s,
    runs: "code",
  },
  {
    programs: "go",
    options: [
      "exec",
      "-exec",
      "toolexec",
      "-toolexec",
      "vettool",
      "-vettool",
      "overlay",
      "-overlay",
    ],
    runs: "shell",
  },
  { programs: "cargo", options: ["config"], runs: "code" },
  { programs: "npm pnpm yarn", options: ["script-shell"], runs: "shell" },
  { programs: "npm pnpm yarn", options: ["node-options", "viewer", "editor", "git"], runs: "code" },
  { programs: "nix-shell nix", options: ["run", "command", "c"], runs: "shell" },
  { programs: "nix nix-shell nix-build nix-instantiate", options: ["E", "expr"], runs: "code" },
  { programs: "vagrant", options: ["c", "command"], runs: "shell" },
  { programs: "flatpak", options: ["command"], runs: "shell" },
  {
    programs: "hg",
    options: ["config"],
    text: /((?:alias|hooks|extensions|pager|ui|merge-tools|extdiff|diff-tools)\b.*)/is,
    runs: "code",
  },
  {
    programs: "svn",
    options: ["diff-cmd", "diff3-cmd", "editor-cmd", "merge-cmd"],
    runs: "shell",
    fed: true,
  },
  { programs: "svn", options: ["config-option", "config-dir"], runs: "code" },
  // Terminals and services.
  {
    programs: "xterm uxterm rxvt urxvt konsole alacritty terminator kitty st lxterminal",
    options: ["e", "x", "command"],
    runs: "shell",
  },
  { programs: "gnome-terminal xfce4-terminal", options: ["e", "x", "command"], runs: "shell" },
  { programs: "start-stop-daemon", options: ["a", "x", "startas", "exec"], runs: "shell" },
  { programs: "expect", options: ["c"], runs: "code" },
  { programs: "tclsh wish", input: true, runs: "code" },
  { programs: "crontab", input: true, runs: "code" },
  { programs: "capsh", anywhere: /^(--|==)$/, runs: "code" },
  { programs: "run-parts", operands: 0, runs: "code" },
  { programs: "adb", after: "shell", operands: 0, runs: "shell" },
  // Languages beyond those that the rules know, with their text on the command line.
  {
    programs:
      "racket guile clisp sbcl ecl gforth octave elixir iex swift crystal scala groovy kotlin ghc runghc ocaml tsx ts-node coffee jshell raku rakudo perl6 R Rscript erl",
    options: ["e", "eval", "E", "expr", "c", "x", "-e", "-x", "-eval", "p", "print"],
    runs: "code",
  },
  {
    programs: "python python2 python3 pypy pypy3",
    options: ["m"],
    text: /^(timeit|code|runpy)$/,
    runs: "code",
  },
  { programs: "osascript jjs rhino tcc", options: ["e", "l", "run", "-run"], runs: "code" },
];

/** Settings of git whose value is executed, or names something that is. */
export const GIT_EXECUTES =
  /^(?:alias\..*|core\.(?:pager|sshcommand|editor|fsmonitor|hookspath|gitproxy|askpass|alternaterefscommand)|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|difftool\..*|mergetool\..*|merge\..*\.driver|filter\..*|credential(?:\..*)?\.helper|sequence\.editor|gpg(?:\..*)?\.(?:program|defaultkeycommand)|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|vcs|proxy)|protocol\..*allow|browser\..*|man\..*|web\.browser|interactive\.difffilter|submodule\..*\.update|init\.templatedir|include(?:if\..*)?\.path|core\.attributesfile|sendemail\..*|tar\..*|imap\.tunnel|trailer\..*\.(?:cmd|command)|guitool\..*)$/i;

/** Options of git subcommands whose value is executed. */
export const GIT_OPTION_ROWS: readonly { subcommands: string; options: readonly string[] }[] = [
  {
    subcommands: "clone fetch pull ls-remote fetch-pack archive",
    options: ["u", "upload-pack", "exec"],
  },
  { subcommands: "push send-pack", options: ["receive-pack", "exec"] },
  { subcommands: "rebase", options: ["x", "exec"] },
  { subcommands: "difftool", options: ["x", "extcmd"] },
  { subcommands: "grep", options: ["O", "open-files-in-pager"] },
  {
    subcommands: "send-email",
    options: ["sendmail-cmd", "to-cmd", "cc-cmd", "header-cmd", "smtp-server"],
  },
];

/** Programs in a command substitution that print a number and nothing else. */
export const PRINTS_NUMBER: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  wc: (args) => args.every((arg) => arg.startsWith("-") && !arg.startsWith("--files0")),
  nproc: () => true,
  seq: (args) => args.every((arg) => /^-?[\d.]*$/.test(arg)),
  expr: (args) => args.every((arg) => !arg.includes("[")),
  grep: (args) => args.some((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$|^--count$/.test(arg)),
  date: (args) => args.some((arg) => /^\+%[sNjdmyYHMSu%:-]+$/.test(arg)),
  id: (args) => args.some((arg) => /^-[ugG]$/.test(arg)),
  stat: (args) => args.some((arg) => /^(?:-c|--format=|-f|--printf=)?%[sYXZWahbgGuUz]$/.test(arg)),
  getconf: () => true,
  pgrep: () => true,
  pidof: () => true,
  tput: (args) => /^(?:cols|lines|colors)$/.test(args[0] ?? ""),
};

/** Programs that print one plain word, in which nothing is left to expand. */
export const PRINTS_WORD =
  /^(?:mktemp|uname|whoami|arch|hostname|tty|nproc|date \+[\w%:.-]+|git rev-parse(?: --short)? HEAD)(?: -[\w-]+)*$/;

/** Programs that print settings for the shell that starts them, as their manuals say to use them. */
export const PRINTS_SETTINGS =
  /^(?:ssh-agent|gpg-agent|keychain|dircolors|resize|tset|lesspipe)\b|^(?:\S*\/)?(?:brew shellenv|direnv (?:hook|export)|pyenv (?:init|virtualenv-init)|rbenv init|nodenv init|goenv init|jenv init|starship init|zoxide init|mcfly init|atuin init|fnm env|mise (?:activate|env|hook-env)|rtx activate|asdf|conda shell\.\w+ hook|micromamba shell hook|opam (?:env|config env)|minikube (?:-p \S+ )?docker-env|docker-machine env|podman machine|thefuck|fzf|luarocks path|perl -I\S+ -Mlocal::lib|register-python-argcomplete|[^\s/]+ completions?|[^\s/]+ (?:generate-)?shell-completion|npm completion|aws configure export-credentials)\b/;

/** Special parameters and variables that hold a number or flags. */
export const HOLDS_NUMBER =
  /^(?:[#?$!-]|RANDOM|SRANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID|COLUMNS|LINES|EPOCHSECONDS|EPOCHREALTIME|SHLVL|OPTIND|BASH_SUBSHELL)$/;

/**
 * Programs whose options turn a harmless call into another one, so that an unknown value,
 * which may be several words, decides what they do. `first`: only where it names the subcommand.
 */
export const DECIDED_BY_WORDS: ReadonlyMap<string, "any" | "first"> = new Map<
  string,
  "any" | "first"
>([
  ...["rm", "find", "dd", "shred", "truncate", "tar", "gtar", "bsdtar", "xargs", "chattr", "wipefs"]
    .map((name): [string, "any"] => [name, "any"]),
  ...["git", "docker", "podman", "kubectl", "systemctl", "npm", "npx", "deno", "busybox", "hermes"]
    .map((name): [string, "first"] => [name, "first"]),
]);

/** What a program variable stands for when the command does not change it. */
export const PROGRAM_DEFAULTS: ReadonlyMap<string, string> = new Map(Object.entries({
  SHELL: "bash",
  BASH: "bash",
  ZSH: "zsh",
  EDITOR: "vi",
  VISUAL: "vi",
  PAGER: "less",
  PYTHON: "python3",
  PYTHON3: "python3",
  PIP: "pip",
  PERL: "perl",
  RUBY: "ruby",
  NODE: "node",
  NPM: "npm",
  YARN: "yarn",
  PNPM: "pnpm",
  MAKE: "make",
  GIT: "git",
  DOCKER: "docker",
  COMPOSE: "docker-compose",
  KUBECTL: "kubectl",
  HELM: "helm",
  TERRAFORM: "terraform",
  SUDO: "sudo",
  GO: "go",
  CARGO: "cargo",
  BROWSER: "xdg-open",
  HERMES_SELF: "hermes",
}));
