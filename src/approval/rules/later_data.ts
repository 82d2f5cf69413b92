/** What runs later, or in place of something else: jobs, units, variables that load code, wiped histories. */
import type { Invocation } from "../shell/invocation.ts";
import { byProgram, joinedArgs, type Rule } from "./rule.ts";

const SETTERS = "export declare typeset readonly local env set setenv launchctl".split(" ");

/** Assignments of a command: before it, or as arguments of `export` and its like. */
function* assigned({ program, env, args }: Invocation): Generator<readonly [string, string]> {
  yield* env;
  if (!SETTERS.includes(program)) return;
  for (const arg of args) {
    const cut = arg.indexOf("=");
    if (cut > 0) yield [arg.slice(0, cut), arg.slice(cut + 1)];
  }
}

/** Variables whose value is code, a library, or a file of commands. */
const LOADS_CODE =
  /^(?:LD_PRELOAD|LD_AUDIT|LD_ORIGIN_PATH|DYLD_\w+|BASH_ENV|ENV|ZDOTDIR|PROMPT_COMMAND|PERL5OPT|PERL5DB|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|GCONV_PATH|LESSOPEN|LESSCLOSE|GLIBC_TUNABLES|MANPAGER|BROWSER|SUDO_EDITOR|SUDO_ASKPASS|SSH_ASKPASS|BASH_FUNC_\w+%%|PS4|SHELLOPTS|BASHOPTS|EXINIT|VIMINIT|SQLITE_HISTORY|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE(?:_USER)?|LUA_INIT\w*|NODE_REPL_EXTERNAL_MODULE|npm_config_(?:script_shell|shell|node_gyp)|PIP_(?:INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST)|GOPROXY|NPM_CONFIG_REGISTRY|npm_config_registry|UV_INDEX_URL|CARGO_BUILD_RUSTC(?:_WRAPPER)?|RUSTC_WRAPPER)$/;
/** Variables that name the program another program starts. */
const NAMES_PROGRAM = /^(?:EDITOR|VISUAL|PAGER|SHELL|SYSTEMD_EDITOR|FCEDIT)$/;
const PLAIN_PROGRAM =
  /^(?:(?:\/(?:usr\/)?(?:local\/)?bin\/)?(?:vim?|nvim|nano|emacs|micro|hx|code(?: --wait| -w)?|less(?: -\w+)?|cat|more|most|true|:|bash|zsh|fish|sh)|)$/;
/** Search paths: a directory that everybody can write to must not come into them. */
const SEARCH_PATH =
  /^(?:PATH|LD_LIBRARY_PATH|PYTHONPATH|PERL5LIB|RUBYLIB|NODE_PATH|MANPATH|CDPATH|CLASSPATH|XDG_CONFIG_HOME)$/;
const OPEN_DIRECTORY = /(?:^|:)(?:\/(?:var\/)?tmp|\/dev\/shm)(?:[/:]|$)/;
const HARMLESS_VALUE: Readonly<Record<string, RegExp>> = {
  MANPAGER: /^(?:less(?: -\w+)*|cat|more|col -b|nvim \+Man!|sh -c 'col -bx \| bat -l man -p'|)$/,
  BROWSER: /^(?:none|echo|true|false|firefox|chromium|google-chrome|open|xdg-open|)$/,
  LESSOPEN: /^$/,
  JAVA_TOOL_OPTIONS: /^(?!.*(?:agent|-Xbootclasspath))/,
  _JAVA_OPTIONS: /^(?!.*(?:agent|-Xbootclasspath))/,
  JDK_JAVA_OPTIONS: /^(?!.*(?:agent|-Xbootclasspath))/,
  PYTHONINSPECT: /^$/,
  RUBYOPT: /^(?:(?:-W\S*|-w|--\w[\w-]*)(?:\s+|$))*$/,
  PS4: /^[^$`\0]*$/,
  GOPROXY: /^(?:https:\/\/proxy\.golang\.org|direct|off|,)*$/,
  RUSTC_WRAPPER: /^(?:sccache|)$/,
  PIP_INDEX_URL: /^https:\/\/pypi\.org\//,
  ENV: /^(?:dev|development|test|testing|staging|stage|prod|production|local|ci|qa)$/i,
};

function loadsCode(name: string, value: string): boolean {
  if (LOADS_CODE.test(name)) {
    return value !== "" &&
      !(Object.hasOwn(HARMLESS_VALUE, name) && HARMLESS_VALUE[name]!.test(value));
  }
  if (NAMES_PROGRAM.test(name)) return !PLAIN_PROGRAM.test(value);
  if (name === "NODE_OPTIONS" || name === "BUN_OPTIONS") {
    return /(?:--require|-r|--import|--loader|--experimental-loader)[= ]+["']?[./~]|--inspect(?:-brk)?=0\.0\.0\.0/
      .test(value);
  }
  if (name === "PATH") {
    return OPEN_DIRECTORY.test(value) || /^(?:\.|:|\.\/[^:]*)(?::|$)|:\.(?::|$)|::/.test(value);
  }
  return SEARCH_PATH.test(name) && OPEN_DIRECTORY.test(value);
}

/** Variables that switch the shell's memory off. */
function forgets(name: string, value: string): boolean {
  if (name === "HISTFILE") return value === "" || value === "/dev/null";
  return /^(?:HISTSIZE|HISTFILESIZE|SAVEHIST)$/.test(name) && /^0*$/.test(value);
}

export const LATER_RULES: readonly Rule[] = [
  {
    key: "schedule a job",
    kind: "dangerous",
    description: "leaves a command behind that runs later by itself",
    ...byProgram({
      at: { has: [/^/], not: /^-[lcV]|^--?(?:help|version)|^-q \w$/ },
      batch: /^/,
      atrm: /./,
      "systemd-run": { has: [/./], not: /^--(?:help|version)$/ },
      // Without arguments it replaces the table with its input.
      crontab: { has: [/^/], not: /(?:^| )-(?:[lVhT]|-help|-version)(?: |$)/ },
      fcrontab: { has: [/./], not: /^-l/ },
      anacron: /./,
      crond: /^/,
      incrontab: { has: [/./], not: /^-l/ },
      launchctl:
        /^(?:load|bootstrap|submit|enable|kickstart|asuser|setenv|config|bootout|unload|remove|disable)\b/,
      schtasks: /\/(?:create|change|delete|run)\b/i,
      "register-scheduledtask": /^/,
      "new-service": /^/,
    }),
    match: [
      "echo ./x.sh | at now + 5 minutes",
      "at -f job.sh midnight",
      "batch < job.sh",
      "crontab -e",
      "crontab",
      "systemd-run --on-calendar=daily ./x.sh",
      "launchctl load ~/x.plist",
      "schtasks /create /tn u /tr x.exe",
    ],
    noMatch: [
      "at -l",
      "crontab -l",
      "crontab -u bob -l",
      "launchctl list",
      "systemd-run --version",
    ],
  },
  {
    key: "change services",
    kind: "dangerous",
    description: "installs, changes or removes what the system starts by itself",
    ...byProgram({
      systemctl: {
        has: [
          /^(?:-\S+ )*(?:link|edit|set-property|set-environment|import-environment|unset-environment|revert|preset(?:-all)?|daemon-reexec|set-default|switch-root|add-wants|add-requires|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|log-level|freeze|clean|mount-image|bind)\b|^(?:-\S+ )*(?:enable|reenable|start) (?:-\S+ )*\S*\/|^(?:-\S+ )*enable (?:-\S+ )*--now|^(?:-\S+ )*--now enable/,
        ],
      },
      "update-rc.d": /./,
      "rc-update": { has: [/./], not: /^(?:show|-v|-a)/ },
      "rc-service": /\b(?:stop|restart|zap)\b/,
      chkconfig: { has: [/./], not: /^--list/ },
      sv: /^(?:down|exit|force-\w+|term|kill|stop|restart|once)\b/,
      supervisorctl: /^(?:stop|restart|shutdown|remove|reload|update)\b/,
      pm2: /^(?:delete|kill|stop|startup|unstartup)\b/,
      initctl: /^(?:stop|restart|reload-configuration)\b/,
      brew: /^services (?:stop|restart|cleanup)\b/,
      net: /^(?:stop|start|user|localgroup|share|accounts)\b/i,
      loginctl: /^(?:enable-linger|terminate-\w+|kill-\w+|lock-\w+|attach|flush-devices)\b/,
      udevadm: /^(?:control|trigger)\b/,
      ldconfig: { has: [/^/], not: /^-[pNv]/ },
      "update-alternatives": /--(?:install|set|remove|config|auto)\b/,
      alternatives: /--(?:install|set|remove|config|auto)\b/,
      "dpkg-divert": { has: [/--(?:add|remove|rename)|^[^-]/], not: /--list/ },
      "dpkg-reconfigure": /./,
      "pam-auth-update": /^/,
      authselect: /^(?:select|enable-feature|disable-feature|apply-changes)\b/,
      defaults:
        /^(?:-\S+ )*(?:delete|write \S*(?:loginwindow|LaunchServices|alf|security|TCC|screensaver))/i,
    }),
    match: [
      "systemctl link /tmp/x.service",
      "systemctl edit sshd",
      "update-rc.d x defaults",
      "loginctl enable-linger me",
      "update-alternatives --set python /tmp/x",
      "ldconfig /tmp",
    ],
    noMatch: [
      "systemctl status nginx",
      "sudo systemctl enable nginx",
      "sudo systemctl daemon-reload",
      "loginctl list-sessions",
      "defaults read com.apple.dock",
      "pm2 list",
      "ldconfig -p",
      "update-alternatives --list java",
    ],
  },
  {
    key: "init script",
    kind: "dangerous",
    description: "stops or restarts a service by its script",
    mentions: /^\/etc\/(?:init\.d|rc\.d)\//,
    test: ({ path, args }) =>
      /^\/etc\/(?:init\.d|rc\.d)\//.test(path) &&
      /^(?:stop|restart|force-\w+|kill)$/.test(args[0] ?? ""),
    match: ["/etc/init.d/nginx stop", "sudo /etc/rc.d/sshd restart"],
    noMatch: ["/etc/init.d/nginx status"],
  },
  {
    key: "variable that loads code",
    kind: "dangerous",
    description: "a variable makes programs load code or start another program",
    variables: true,
    programs: SETTERS,
    test: (command) => {
      for (const [name, value] of assigned(command)) if (loadsCode(name, value)) return true;
      return false;
    },
    match: [
      "LD_PRELOAD=./x.so ls",
      "export LD_PRELOAD=/tmp/x.so",
      "BASH_ENV=./x bash y.sh",
      "PATH=/tmp:$PATH ls",
      "PATH=. git status",
      "PROMPT_COMMAND='sh x'",
      "PERL5OPT=-Mx perl y.pl",
      "NODE_OPTIONS='--require ./x.js' npm test",
      "EDITOR=./x crontab -l",
    ],
    noMatch: [
      'export PATH="$HOME/.local/bin:$PATH"',
      "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
      "PYTHONPATH=. python3 x.py",
      "LD_LIBRARY_PATH=./build ./app",
      "EDITOR=vim git commit",
      "PAGER=cat man ls",
      "ENV=production npm start",
      "export EDITOR=nano",
      "NODE_OPTIONS='--import tsx' node x.ts",
    ],
  },
  {
    key: "load code by option",
    kind: "dangerous",
    description: "an option makes a program load foreign code",
    programs: [
      "ld.so",
      "ld-linux-x86-64.so.2",
      "ld-linux.so.2",
      "ld-linux-aarch64.so.1",
      "ssh-keygen",
      "ssh-add",
      "enable",
      "gawk",
      "sftp",
      "scp",
      "sudo",
    ],
    test: (command) => {
      const { program, args } = command;
      if (program.startsWith("ld")) {
        return args.length > 0 && !/^--(?:list|help|version|verify)/.test(args[0]!);
      }
      if (program === "ssh-keygen") return args.includes("-D");
      if (program === "ssh-add") {
        return args.some((arg) => /^-[sSDdxXe]$/.test(arg)) ||
          args.some((arg) => /^[^-]/.test(arg));
      }
      if (program === "enable") return args.some((arg) => /^-[a-z]*f/.test(arg));
      if (program === "gawk") return args.some((arg) => /^-l$|^--load/.test(arg));
      if (program === "sudo") {
        return args.some((arg) => /^(?:LD_PRELOAD|LD_LIBRARY_PATH|PATH)=/.test(arg));
      }
      return args.some((arg) => /^-[SD]$|^-F$/.test(arg));
    },
    match: [
      "ld.so --preload ./x.so /bin/ls",
      "ssh-keygen -D ./x.so",
      "enable -f ./x.so y",
      "scp -S ./x a h:b",
      "ssh-add ~/.ssh/id_rsa",
    ],
    noMatch: ["ssh-add -l", "ssh-keygen -lf k.pub", "gawk '{print}' f", "scp h:x ."],
  },
  {
    key: "wipe the shell history",
    kind: "dangerous",
    description: "makes the shell forget what was run",
    variables: true,
    programs: [...SETTERS, "history", "unset", "fc", "clear-history"],
    test: (command) => {
      const { program, args } = command;
      for (const [name, value] of assigned(command)) if (forgets(name, value)) return true;
      if (program === "history") return args.some((arg) => /^-[a-z]*[cdw]/.test(arg));
      if (program === "unset") {
        return args.some((arg) => /^HIST(?:FILE|SIZE|FILESIZE|CONTROL)$/.test(arg));
      }
      if (program === "set") return joinedArgs(command).includes("+o history");
      if (program === "fc") return args.some((arg) => /^-[pP]/.test(arg));
      return program === "clear-history";
    },
    match: [
      "history -c",
      "unset HISTFILE",
      "export HISTFILE=/dev/null",
      "HISTSIZE=0",
      "set +o history",
    ],
    noMatch: ["history | tail", "export HISTSIZE=10000", "set -o pipefail", "unset FOO"],
  },
];
