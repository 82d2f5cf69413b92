/** Git settings, options and transports that make git run programs, now or later. */
import { type Invocation, parseOptions } from "../shell/invocation.ts";
import type { Rule } from "./rule.ts";
import { subcommand } from "../shell/unwrap.ts";

/** Settings whose value is a program, a directory of programs, or where further settings come from. */
const RUNS =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|pager|editor|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)|diff\..*(?:external|command|textconv)|diff\.external|difftool\..*|mergetool\..*|merge\..*\.driver|filter\..*|alias\..*|credential(?:\..*)?\.helper|init\.templatedir|sequence\.editor|gpg(?:\..*)?\.program|gpg\.ssh\.defaultkeycommand|protocol(?:\..*)?\.allow|submodule\..*\.(?:update|url)|include(?:if\..*)?\.path|url\..*\.(?:pushinsteadof|insteadof)|remote\..*\.(?:uploadpack|receivepack|proxy|vcs|url|pushurl)|uploadpack\.packobjectshook|receive\..*|man\..*\.(?:cmd|path)|browser\..*\.(?:cmd|path)|web\.browser|help\.browser|instaweb\..*|interactive\.difffilter|pager\..*|trailer\..*\.(?:command|cmd)|sendemail\..*|http(?:\..*)?\.(?:sslverify|proxy|proxysslcert|extraheader|cookiefile|sslcainfo)|ssh\.variant|safe\.directory|tar\..*\.command|guitool\..*|gui\..*|imap\.tunnel|lfs\..*|extensions\..*|maintenance\..*|transfer\.credentialsinurl|core\.(?:symlinks|protectntfs|protecthfs)|user\.signingkey-command)$/i;
/** Of those, values that everybody uses. */
const PLAIN_PROGRAM =
  /^(?:"?(?:vim?|nvim|nano|emacs(?: -nw)?|emacsclient|micro|hx|helix|code(?: --wait| -w)?|codium(?: --wait)?|subl(?: -n)?(?: -w)?|zed(?: --wait)?|idea --wait|less(?: -[A-Za-z]+)?|cat|more|delta|diff-so-fancy(?: \| less [-\w ]+)?|bat|most|true|:|ssh(?: -[46CqTv]+| -i [\w~./-]+| -p \d+| -o (?:IdentitiesOnly=yes|StrictHostKeyChecking=(?:yes|no|accept-new)|BatchMode=yes))*|difft|meld|vimdiff|kdiff3|opendiff|p4merge|beyondcompare|bc[34]?|ediff|vscode)"?|false|true|never|)$/;
const PLAIN_HELPER =
  /^(?:cache(?: --timeout[ =]\d+)?|osxkeychain|manager|manager-core|wincred|libsecret|gnome-keyring|keychain|)$/;
const PLAIN_LFS = /^git-lfs (?:clean|smudge|filter-process)(?: -- %f)?$/;

/** Whether giving a setting this value makes git run something, or trust somewhere else. */
function setsProgram(key: string, value: string | undefined): boolean {
  // Git drops blanks around the name of a setting.
  const name = key.trim().toLowerCase();
  if (!RUNS.test(name)) return false;
  if (value === undefined) return false;
  if (name.startsWith("alias.")) return value.startsWith("!") || value.includes("\0");
  if (/^credential/.test(name)) return !PLAIN_HELPER.test(value);
  if (/^http.*sslverify$/.test(name)) return /^(?:false|0|off|no)$/i.test(value);
  if (/^protocol/.test(name)) return !/^(?:never|user)$/.test(value);
  if (/^filter\.lfs\./.test(name)) return !PLAIN_LFS.test(value) && value !== "true";
  if (/^filter\..*required$/.test(name)) return false;
  if (/^remote\..*url$/.test(name)) return /::|^-/.test(value) || name.endsWith("pushurl");
  if (/^safe\.directory$/.test(name)) return value === "*";
  if (/^core\.worktree$|^core\.protect|^core\.symlinks/.test(name)) return true;
  if (/^(?:receive|maintenance|extensions|lfs|gui|transfer)\./.test(name)) {
    return /[!/\\]|deny|\.cmd$/i.test(value);
  }
  if (/^core\.fsmonitor$/.test(name)) return !/^(?:true|false|0|1)?$/.test(value);
  if (/^pager\./.test(name) && /^(?:true|false)$/.test(value)) return false;
  if (/^(?:difftool|mergetool)\.(?:prompt|keepbackup|hideresolved|trustexitcode)$/.test(name)) {
    return false;
  }
  return !PLAIN_PROGRAM.test(value);
}

const QUESTIONS =
  /^(?:--get(?:-all|-regexp|-urlmatch|-color|-colorbool)?|-l|--list|list|get|--unset(?:-all)?|unset|--remove-section|remove-section)$/;

/** `git config [set] KEY VALUE`, in its old and new forms. */
function configures(args: readonly string[]): boolean {
  if (args.some((arg) => QUESTIONS.test(arg))) return false;
  if (args.some((arg) => /^(?:-e|--edit|edit|--rename-section|rename-section)$/.test(arg))) {
    return true;
  }
  const { operands } = parseOptions(args, {
    values: "f",
    longValues: ["file", "blob", "type", "value", "comment"],
  });
  const [key = "", value] = operands[0] === "set" ? operands.slice(1) : operands;
  return setsProgram(key, value);
}

/** `NAME=value` pairs given by `-c`, `--config` and `--config-env`. */
function givenSettings(pairs: readonly string[]): boolean {
  return pairs.some((pair) => {
    const cut = pair.indexOf("=");
    // For one command, trusting a server is a choice that ends with it.
    if (/^http(?:\..*)?\.sslverify=/i.test(pair)) return false;
    return setsProgram(cut < 0 ? pair : pair.slice(0, cut), cut < 0 ? "true" : pair.slice(cut + 1));
  });
}

function setsGit(command: Invocation): boolean {
  const { name, args, globals } = subcommand(command.args, "git");
  if (givenSettings(globals.values.get("c") ?? [])) return true;
  const fromEnv = globals.values.get("config-env") ?? [];
  if (
    fromEnv.some((pair) => RUNS.test(pair.split("=", 1)[0]!.trim())) ||
    globals.values.has("exec-path")
  ) return true;
  if (name === "config") return configures(args);
  if (name !== "clone" && name !== "submodule") return false;
  const { values } = parseOptions(args, {
    values: "cbjo",
    longValues: ["config", "branch", "depth"],
  });
  return givenSettings([...values.get("c") ?? [], ...values.get("config") ?? []]);
}

const PACKS =
  /^--(?:upload-pack|receive-pack|exec|template|open-files-in-pager|extcmd|ext-diff-cmd|tool-cmd)(?:=|$)/;

/** Options and addresses by which git runs a program of the caller's choice. */
function transports(command: Invocation): boolean {
  const { name, args } = subcommand(command.args, "git");
  if (args.some((arg) => /^(?:ext|fd)::/.test(arg) || /^-+\w*=?(?:ext|fd)::/.test(arg))) {
    return true;
  }
  switch (name) {
    case "clone":
    case "init":
    case "fetch":
    case "pull":
    case "ls-remote":
    case "push":
    case "archive":
    case "fetch-pack":
    case "send-pack":
      return args.some((arg) => PACKS.test(arg)) || (name === "clone" && args.includes("-u")) ||
        (name === "archive" && args.some((arg) => /^--remote/.test(arg)));
    case "grep":
      return args.some((arg) => /^-O.|^--open-files-in-pager=/.test(arg));
    case "difftool":
    case "mergetool":
      return args.some((arg) => /^-x$|^--extcmd/.test(arg));
    case "credential":
      return /^(?:fill|approve)$/.test(args[0] ?? "");
    case "credential-store":
    case "credential-cache":
    case "daemon":
    case "instaweb":
    case "shell":
    case "upload-pack":
    case "receive-pack":
    case "http-backend":
      return true;
    default:
      return false;
  }
}

const VARIABLES =
  /^GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND|TEMPLATE_DIR|EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|COUNT|PARAMETERS|KEY_\d+|VALUE_\d+)|CONFIG|ALLOW_PROTOCOL|SSL_NO_VERIFY|TRACE\w*|DIR|WORK_TREE|ATTR_SOURCE|ALTERNATE_OBJECT_DIRECTORIES|OBJECT_DIRECTORY)$/;
/** Variables that only point elsewhere on this disk or print more. */
const HARMLESS =
  /^GIT_(?:DIR|WORK_TREE|TRACE\w*|OBJECT_DIRECTORY|ATTR_SOURCE|ALTERNATE_OBJECT_DIRECTORIES)$/;

function setsVariable(name: string, value: string): boolean {
  if (!VARIABLES.test(name) || HARMLESS.test(name)) return false;
  if (/^GIT_CONFIG_(?:GLOBAL|SYSTEM)$/.test(name)) return value !== "/dev/null";
  if (name === "GIT_CONFIG_COUNT" || /^GIT_CONFIG_VALUE/.test(name)) return false;
  if (/^GIT_CONFIG_KEY/.test(name)) return RUNS.test(value);
  return !PLAIN_PROGRAM.test(value);
}

export const GIT_SETTINGS_RULES: readonly Rule[] = [
  {
    key: "git settings that run programs",
    kind: "dangerous",
    description: "makes git run a program, now or at a later command",
    programs: ["git"],
    test: setsGit,
    match: [
      "git config core.hooksPath /tmp/h",
      "git config --global alias.st '!sh x'",
      "git config set filter.a.smudge 'sh x'",
      "git -c core.fsmonitor=./x status",
      "git -c core.sshCommand=./x fetch",
      "git config --global credential.helper store",
      "git clone -c core.sshCommand=./x h:r",
      "git config --global core.pager 'sh -c x'",
      "git config --global --edit",
    ],
    noMatch: [
      "git config user.name x",
      "git config --global core.editor vim",
      "git config --get core.hooksPath",
      "git config --global alias.co checkout",
      "git -c core.quotepath=false status",
      "git -c core.pager=cat log",
      "git config --global pull.rebase true",
      "git config credential.helper osxkeychain",
      "git config --unset core.hooksPath",
    ],
  },
  {
    key: "git transport that runs programs",
    kind: "dangerous",
    description: "makes git run a program, serve the repository or print a password",
    programs: ["git"],
    test: transports,
    match: [
      "git clone ext::'sh -c x'",
      "git clone --template=/tmp/t https://h/x",
      "git fetch --upload-pack ./x origin",
      "git push --receive-pack=./x origin main",
      "git daemon --export-all",
      "git credential fill",
      "git init --template=/tmp/t",
      "git difftool -x ./x",
    ],
    noMatch: [
      "git clone https://h/x",
      "git fetch origin",
      "git push origin main",
      "git init",
      "git archive -o x.tgz HEAD",
    ],
  },
  {
    key: "git variables that run programs",
    kind: "dangerous",
    description: "a variable makes git run a program",
    variables: true,
    programs: ["export", "declare", "env", "typeset"],
    test: ({ program, env, args }) => {
      for (const [name, value] of env) if (setsVariable(name, value)) return true;
      if (!/^(?:export|declare|env|typeset)$/.test(program)) return false;
      return args.some((arg) => {
        const cut = arg.indexOf("=");
        return cut > 0 && setsVariable(arg.slice(0, cut), arg.slice(cut + 1));
      });
    },
    match: [
      "GIT_SSH_COMMAND='sh x' git fetch",
      "GIT_EXTERNAL_DIFF=./x git diff",
      "export GIT_SSH=./x",
      "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=./x git log",
    ],
    noMatch: [
      "GIT_PAGER=cat git log",
      'GIT_SSH_COMMAND="ssh -i ~/.ssh/deploy_key" git fetch',
      "GIT_EDITOR=true git rebase --continue",
      "GIT_DIR=x git log",
      "GIT_TERMINAL_PROMPT=0 git fetch",
    ],
  },
];
