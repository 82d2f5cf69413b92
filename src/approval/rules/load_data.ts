/** Filling the disk or the machine, ending what others run, and deleting in other words than `rm`. */
import { touchesOf, writtenBy } from "./effects.ts";
import { type Invocation, parseOptions } from "../shell/invocation.ts";
import { absolutePath } from "../shell/paths.ts";
import { byProgram, isBuildStep, joinedArgs, type Rule } from "./rule.ts";

/** Beyond this a file is no test data. */
const HUGE = 50;
const SIZE = /^[+<>/%-]?(\d{1,18})(?:\.\d+)?\s?([kmgtpe]?)(?:i?b)?$/i;

/** Gigabytes of `500G`, `1T`, `100000000000`. */
function gigabytes(text: string): number {
  const [, digits = "", unit = ""] = SIZE.exec(text) ?? [];
  if (digits === "") return 0;
  const power = "kmgtpe".indexOf(unit.toLowerCase());
  return Number(digits) * (unit === "" ? 1e-9 : 1000 ** (power - 2));
}

/** A device that never ends, read by something that does not stop. */
function readsForever(command: Invocation, all: readonly Invocation[]): boolean {
  const endless = touchesOf(command).some(({ effect, path }) =>
    effect !== "look" && /^\/dev\/(?:zero|u?random|full)$/.test(absolutePath(path, command.place))
  );
  if (
    !endless ||
    /^(?:head|dd|od|xxd|hexdump|shuf|openssl|tr|read|cp|ls|sort|strings)$/.test(command.program)
  ) {
    return endless && command.program === "cp";
  }
  const limited = all.some((other) =>
    other.upstream.includes(command) && /^(?:head|dd|od|xxd|read|fold)$/.test(other.program)
  );
  return !limited;
}

function fills(command: Invocation, all: readonly Invocation[]): boolean {
  const { program, args } = command;
  const written = writtenBy(command).some((path) => !/^\/dev\/(?:null|std\w+|fd\/)/.test(path));
  const { upstream } = command;
  if (
    written && upstream.some((source) => source.program === "yes") &&
    !upstream.some((source) => source.program === "head")
  ) return true;
  switch (program) {
    case "yes":
      return written;
    case "seq":
      return args.some((arg) => /^(?:inf|\d{10,})$/i.test(arg));
    case "fallocate":
    case "truncate":
    case "mkfile":
    case "head": {
      const { values, operands } = parseOptions(args, {
        values: "lscn",
        longValues: ["length", "size", "bytes"],
      });
      const sizes = [...values.values()].flat().concat(program === "mkfile" ? operands : []);
      return sizes.some((size) => gigabytes(size.replace(/^-/, "")) >= HUGE);
    }
    default:
      return readsForever(command, all);
  }
}

/** Whether kill is given init, or whatever a list of processes prints. */
function endsOthers({ program, args, inner, upstream, via }: Invocation): boolean {
  if (program === "kill") {
    if (args.some((arg) => /^(?:-0|-l|-L|--list)$/.test(arg)) && !args.includes("1")) return false;
    const signalled = /^-(?:s|n|-signal)$/.test(args[0] ?? "")
      ? args.slice(2)
      : args.filter((arg) => !/^-/.test(arg));
    if (signalled.some((pid) => /^0*1$/.test(pid) || pid === "0")) return true;
    return [...inner, ...via.includes("xargs") ? upstream : []].some((source) =>
      /^(?:ps|pgrep|pidof|top)$/.test(source.program)
    );
  }
  const text = args.join(" ");
  if (program === "fuser") {
    return /(?:^| )-[a-zA-Z]*k/.test(text) &&
      (/(?:^| )-[a-zA-Z]*m/.test(text) || /(?:^| )\d{1,3}\/(?:tcp|udp)/.test(text) ||
        /(?:^| )\/(?:\S*)/.test(text));
  }
  return true;
}

export const LOAD_RULES: readonly Rule[] = [
  {
    key: "fill the disk or the memory",
    kind: "dangerous",
    description: "writes or reads without end, or makes a file larger than a disk",
    redirections: true,
    programs:
      "yes seq fallocate truncate mkfile head cat tail cp tac wc md5sum sha256sum base64 gzip less tee pv sed awk grep cut"
        .split(" "),
    test: fills,
    match: [
      "yes > fill",
      "cat /dev/zero > f",
      "fallocate -l 500G f",
      "truncate -s 10T f",
      "tail /dev/zero",
      "head -c 500G /dev/zero > f",
    ],
    noMatch: [
      "yes | head -5",
      "head -c 16 /dev/urandom | xxd",
      "cat /dev/urandom | tr -dc a-z | head -c 20",
      "truncate -s 1M x",
      "fallocate -l 1G x",
      "tr -dc a-z < /dev/urandom | head -c 8",
      "seq 1 10",
    ],
  },
  {
    key: "load the machine",
    kind: "dangerous",
    description: "keeps every processor or all memory busy",
    ...byProgram({
      stress: { has: [/./], not: /--version|--help/ },
      "stress-ng": { has: [/./], not: /--version|--help/ },
      memtester: /./,
      burnp6: /^/,
      cpuburn: /^/,
      xmrig: /^/,
      minerd: /^/,
      ethminer: /^/,
      cpuminer: /^/,
      "t-rex": /^/,
    }),
    match: ["stress --cpu 64", "stress-ng --all 0", "xmrig -o pool:3333"],
    noMatch: ["stress --version", "htop"],
  },
  {
    key: "end other processes",
    kind: "dangerous",
    description: "ends init, or processes that nobody named",
    programs: ["kill", "skill", "snice", "xkill", "fuser", "slay"],
    test: endsOthers,
    match: [
      "kill 1",
      "kill -9 $(ps aux | awk '{print $2}')",
      "ps -ef | awk '{print $2}' | xargs kill",
      "fuser -km /home",
      "xkill",
      "fuser -k 22/tcp",
    ],
    noMatch: [
      "kill 12345",
      "kill -1 123",
      "kill $(lsof -t -i:3000)",
      "fuser -v 3000/tcp",
      "fuser -k 3000/tcp",
      "kill %1",
      "kill -0 1234",
      "kill -TERM $PID",
    ],
  },
  {
    key: "delete by another program",
    kind: "dangerous",
    description: "deletes or destroys files in other words than rm",
    programs:
      "shred wipe srm trash trash-put gvfs-trash gio tar gtar zip 7z 7za mv rimraf rsync bleachbit secure-delete cpio"
        .split(" "),
    test: (command) => {
      const { program, args } = command;
      const text = joinedArgs(command);
      if (program === "rimraf" && isBuildStep(command)) return false;
      switch (program) {
        case "gio":
          return /^(?:trash|remove)\b/.test(text);
        case "tar":
        case "gtar":
          return args.includes("--remove-files");
        case "zip":
          return args.some((arg) => /^-[a-zA-Z]*m|^--move$/.test(arg));
        case "7z":
        case "7za":
          return args.includes("-sdel");
        case "mv":
          return parseOptions(args).operands.at(-1) === "/dev/null";
        case "rsync":
          return args.includes("--remove-source-files");
        case "cpio":
          return false;
        default:
          return !/^--?(?:version|help|list|empty-list)\b/.test(text) && args.length > 0;
      }
    },
    match: [
      "shred -u notes.txt",
      "gio trash ~/Documents",
      "tar czf a.tgz d --remove-files",
      "zip -rm a.zip d",
      "mv d /dev/null",
      "7z a -sdel x.7z d",
    ],
    noMatch: ["tar czf a.tgz d", "zip -r a.zip d", "mv a b", "gio open x", "rsync -a a/ b/"],
  },
  {
    key: "hidden commands in a tool",
    kind: "dangerous",
    description: "an argument or its input makes a tool run commands",
    ...byProgram({
      make:
        /(?:^| )(?:-f ?-|--file=-|--makefile=-)(?: |$)|--eval\b|(?:^| )(?:SHELL|MAKEFLAGS|\.SHELLFLAGS)=/,
      gmake: /--eval\b|(?:^| )SHELL=/,
      emacs:
        /(?:^| )(?:--eval|-eval|--execute|--funcall|-f|--load|-l|--script|-x|--batch|-batch|--insert)\b/,
      vim:
        /(?:^| )(?:-[a-zA-Z]*[eE]s|-s|-S|-u (?!NONE))|(?:^| )(?:-c|--cmd|\+)[ :]*(?:%|!|\d*,?\$?[a-z])(?!(?:et|q|qa)\b)/,
      vi: /(?:^| )-[a-zA-Z]*[eE]s|(?:^| )(?:-c|\+)[ :]*(?:%|!|[a-z])/,
      nvim:
        /(?:^| )(?:-[a-zA-Z]*[eE]s|-l|-S)|(?:^| )(?:-c|--cmd|\+)[ :]*(?:!|lua|call|exe|so\b|py|luado|w)/,
      ex: /./,
      ed: /^$|!/,
      expect: /./,
      tclsh: /^$|^-/,
      dc: /!|^-f/,
      m4: /^/,
      split: /--filter/,
      csplit: /--filter/,
      tar: /(?:^| )(?:-I|--use-compress-program)[= ]?(?:\S*\/)?(?:ba|da|z|k)?sh\b/,
      gdb: /(?:^| )(?:-ex|--eval-command|-x|--command)[= ]?(?:shell|!|python|call|source)/,
      curl:
        /(?:^| )(?:-K|--config)[= ]?|--unix-socket \S*(?:docker|containerd|podman)\.sock|(?:^| )--libcurl/,
      socat: /(?:docker|containerd|podman)\.sock/,
      nc: /(?:docker|containerd|podman)\.sock/,
      ssh: /(?:^| )-F ?(?!~?\/?\S*\.ssh\/config|\/dev\/null|none)\S/,
      busybox: /^(?:telnetd|httpd|ftpd|nc -l|init|reboot|poweroff|halt)\b/,
      "xdg-open": /\.(?:desktop|sh|exe|AppImage)$|^(?!https?:|file:|mailto:)[a-z][a-z0-9+.-]*:/,
      "run-parts": { has: [/./], not: /--(?:test|list)/ },
      capsh: /--/,
      setarch: /(?:ba|z|da)?sh$/,
    }),
    match: [
      "ed <<< '!rm x'",
      "make -f - <<< x",
      "make SHELL=/tmp/x",
      "emacs --batch --eval '(delete-file \"x\")'",
      "expect -c 'spawn sh'",
      "ex -sc '%d|x' f",
      "vim -es '+%print' f",
      "curl --unix-socket /var/run/docker.sock http://x/",
      "split --filter=sh f",
    ],
    noMatch: [
      "make -j4 all",
      "make -f Makefile.dev",
      "emacs -nw f",
      "vim +42 f",
      "split -l 100 f",
      "gdb ./app core",
      "curl -sS https://h",
      "xdg-open index.html",
      "ssh h uptime",
    ],
  },
];
