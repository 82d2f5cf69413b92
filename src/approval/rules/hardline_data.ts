/** What never runs, whatever the mode: the machine or everything on it would be lost. */
import { hasFlag, type Invocation, parseLeading } from "../shell/invocation.ts";
import { deletedBy, writtenBy } from "./effects.ts";
import { deleteTarget, isDisk } from "../shell/paths.ts";
import { mirrors, operands, type Rule, sudoOptions } from "./rule.ts";
import { subcommand } from "../shell/unwrap.ts";

const DELETERS = (
  "rm rimraf srm shred unlink rmdir remove-item trash trash-put gvfs-trash gio wipe mv find rsync tar zip 7z"
).split(" ");

/** `find / -delete` without a test that narrows it deletes as `rm -rf /` does. */
function findDeletes(command: Invocation, kind: string): boolean {
  const { args } = command;
  const narrowed = args.some((arg) =>
    /^-(?:i?name|i?path|i?wholename|i?regex|[acm]?newer\w*|[acm](?:time|min)|size|user|group|empty|maxdepth|prune)$/
      .test(arg)
  );
  if (narrowed) return false;
  const removes = args.some((arg, i) =>
    arg === "-delete" ||
    (/^-(?:exec|execdir|ok|okdir)$/.test(arg) &&
      /(?:^|\/)(?:rm|shred|unlink)$/.test(args[i + 1] ?? ""))
  );
  const options = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPD]$/.test(arg));
  return removes &&
    args.slice(0, options < 0 ? undefined : options)
      .some((path) => deleteTarget(path, command.place) === kind);
}

function wipes(command: Invocation, kind: "root" | "system" | "home"): boolean {
  if (command.program === "find") return findDeletes(command, kind);
  if (command.program === "rsync" && !mirrors(command)) return false;
  // Moving a tree away leaves as little behind as deleting it.
  const paths = command.program === "rsync" ? operands(command).slice(-1) : deletedBy(command);
  return paths.some((path) => deleteTarget(path, command.place) === kind);
}

/** The processes `kill` is given, after its signal. */
function killTargets(args: readonly string[]): readonly string[] {
  if (/^(?:-s|-n|--signal)$/.test(args[0] ?? "")) return args.slice(2);
  return /^-./.test(args[0] ?? "") ? args.slice(1) : args;
}

/** `--help`, `--version` and cancelling run nothing. */
function asksOnly({ program, args }: Invocation): boolean {
  return args.some((arg) => arg === "--help" || arg === "--version") ||
    (program === "shutdown" && args[0] === "-c");
}

const POWER_PROGRAMS = "shutdown reboot halt poweroff stop-computer restart-computer".split(" ");
const BUS_CLIENTS = ["dbus-send", "busctl", "gdbus"];
const SYSRQ = "/proc/sysrq-trigger";
const POWER_VERBS = /^(?:poweroff|reboot|halt|kexec|soft-reboot)$/;
const POWER_TARGETS = /^(?:poweroff|reboot|halt|kexec|shutdown|runlevel[06])(?:\.target)?$/;

/** The one hardline rule that a password configured by the operator switches off. */
export const SUDO_STDIN_KEY = "sudo password on standard input";

export const HARDLINE_RULES: readonly Rule[] = [
  {
    key: "recursive delete of root filesystem",
    kind: "hardline",
    description: "deletes the root directory",
    programs: DELETERS,
    test: (command) => wipes(command, "root"),
    match: [
      "rm -rf /",
      "rm -rf /*",
      "rm -rf //",
      "rm -rf /.",
      "rm -rf /./",
      "rm -rf /..",
      "rm -rf //*",
      'rm -rf "/"',
      "rm --recursive --force /",
      "rm /",
      "ls && rm -rf /",
      "(rm -rf /)",
      "{ rm -rf /; }",
      "$(rm -rf /)",
      'echo "$(rm -rf /)"',
      "env X=1 rm -rf /",
      "/bin/rm -rf /",
      "command rm -rf /",
      "sudo -u bob rm -rf /",
      "ｒｍ -ｒｆ /",
      "$(echo rm) -rf /",
      "`printf rm` -rf /",
      "${x:-rm} -rf /",
      "${x/a/rm} -rf /",
      "rm -rf \\\n/",
      "rm${IFS}-rf${IFS}/",
      "bash -c 'rm -rf /'",
      "x=rm; $x -rf /",
      "cd / && rm -rf *",
      "echo / | xargs rm -rf",
      "find / -delete",
      "rsync -a --delete empty/ /",
    ],
    noMatch: [
      "rm -rf /...",
      "rm -rf /.foo",
      "rm -rf /opt/foo",
      "rm -rf /tmp/*",
      'echo "rm -rf /"',
      'git commit -m "rm -rf /"',
      "echo '{ rm -rf /; }'",
      "grep -P 'rm -rf build' f",
      "find / -name '*.pyc' -delete",
      "rm -rf ./",
      "rsync -a --delete / /mnt/backup",
    ],
  },
  {
    key: "recursive delete of system directory",
    kind: "hardline",
    description: "deletes a directory the system lives in",
    programs: DELETERS,
    test: (command) => wipes(command, "system"),
    match: [
      "rm -rf /etc",
      'rm -rf "/home"',
      "rm -rf /usr",
      "rm -rf /var/*",
      "rm -rf /e?c",
      "rm -rf /usr/../etc/",
    ],
    noMatch: ["rm -rf /home/user/scratch", "rm -rf /usr/local/lib/thing", "rm -rf etc"],
  },
  {
    key: "recursive delete of home directory",
    kind: "hardline",
    description: "deletes a whole home directory",
    programs: DELETERS,
    test: (command) => wipes(command, "home"),
    match: [
      "mv ~ /dev/null",
      "rm -rf ~/",
      'rm -rf "${HOME}"',
      "rm -rf ~",
      "rm -rf $HOME/*",
      "cd && rm -rf *",
    ],
    noMatch: ["rm -rf ~/Downloads/old", "rm -rf $HOME/tmp"],
  },
  {
    key: "format filesystem (mkfs)",
    aliases: ["format filesystem"],
    kind: "hardline",
    description: "formats or wipes a filesystem",
    programs: ["mkfs", "mke2fs", "mkswap", "wipefs", "newfs"],
    test: (command) => !asksOnly(command),
    match: ["mkfs.ext4 /dev/sda1", "mkfs /dev/sdb", "sudo mkfs.xfs -f /dev/sdb1"],
    noMatch: ["mkfs_helper --version"],
  },
  {
    key: "dd to raw block device",
    kind: "hardline",
    description: "overwrites a disk",
    programs: [
      "dd",
      "shred",
      "cp",
      "mv",
      "install",
      "pv",
      "tee",
      "badblocks",
      "blkdiscard",
      "sponge",
      "truncate",
    ],
    test: (command) =>
      /^(?:pv|badblocks|blkdiscard)$/.test(command.program)
        ? command.args.some((arg) => isDisk(arg, command.place))
        : [...writtenBy(command), ...deletedBy(command)].some((path) =>
          isDisk(path, command.place)
        ),
    match: ["dd if=x of=/dev/sda", "cat x | tee /dev/sdb", "cp img /dev/mmcblk0"],
    noMatch: ["dd if=x of=./image.bin", "dd if=x of=/dev/loop0", "dd if=/dev/sda of=backup.img"],
  },
  {
    key: "redirect to raw block device",
    aliases: ["write to block device"],
    kind: "hardline",
    description: "overwrites a disk through a redirection",
    redirections: true,
    test: (command) =>
      command.redirects.some(({ op, target }) => op !== "<" && isDisk(target, command.place)),
    match: ["cat x > /dev/nvme0n1", "> /dev/sda"],
    noMatch: ["echo x > /dev/null", "ls /dev/sda", "cat a 2>/dev/null"],
  },
  {
    key: "fork bomb",
    kind: "hardline",
    description: "starts processes without end",
    programs: ["function"],
    test: (command) => command.forks === true,
    match: [
      ":(){ :|:& };:",
      ": ( ) { : | : & } ; :",
      ":(){:|:&};:",
      "bomb() { bomb | bomb & }; bomb",
    ],
    noMatch: ["echo hello:world", "f() { g | h & }; f"],
  },
  {
    key: "kill all processes",
    kind: "hardline",
    description: "signals every process of the user",
    programs: ["kill", "killall5"],
    test: ({ program, args }) =>
      program === "killall5" || args.join(" ") === "-1" || killTargets(args).includes("-1"),
    match: [
      "kill -9 -1",
      "killall5 -9",
      "kill -1",
      "kill -- -1",
      "kill -s KILL -1",
      "kill -n 9 -1",
    ],
    noMatch: ["kill -9 12345", "kill -HUP 1234", "kill -1 123"],
  },
  {
    key: "system shutdown/reboot",
    kind: "hardline",
    description: "turns the machine off",
    programs: [...POWER_PROGRAMS, ...BUS_CLIENTS],
    test: (command) =>
      BUS_CLIENTS.includes(command.program)
        ? command.args.some((arg) => /(?:^|\.)(?:PowerOff|Reboot|Halt)$/.test(arg))
        : !asksOnly(command),
    match: [
      "shutdown -h now",
      "sudo -E reboot",
      "false || halt",
      "(poweroff)",
      "`shutdown now`",
      "nohup reboot",
      "echo hi\nsudo reboot",
      "bash -c 'bash -c \"reboot\"'",
      "nice reboot",
      "doas reboot",
      "xargs reboot",
      "ssh h reboot",
      "busctl call org.freedesktop.login1 /x org.freedesktop.login1.Manager Reboot b 0",
    ],
    noMatch: [
      "echo reboot",
      "grep 'shutdown' f",
      "cat rebooting.log",
      'echo "first\nsudo reboot\nlast"',
      "cat <<EOF\nreboot\nEOF",
      "shutdown --help",
      "shutdown -c",
    ],
  },
  {
    key: "init 0/6",
    kind: "hardline",
    description: "turns the machine off",
    programs: ["init"],
    test: (command) => /^[06]$/.test(operands(command)[0] ?? ""),
    match: ["init 0", "(init 0)", "sudo init 6"],
    noMatch: ["init 3", "npm init 0"],
  },
  {
    key: "systemctl poweroff/reboot",
    kind: "hardline",
    description: "turns the machine off",
    programs: ["systemctl", "loginctl"],
    test: ({ args }) => {
      const { name, args: rest } = subcommand(args, "systemctl");
      if (POWER_VERBS.test(name)) return true;
      return /^(?:start|isolate)$/.test(name) && rest.some((unit) => POWER_TARGETS.test(unit));
    },
    match: ["systemctl reboot", "systemctl --force poweroff", "systemctl isolate reboot.target"],
    noMatch: ["systemctl restart nginx", "systemctl status"],
  },
  {
    key: "telinit 0/6",
    kind: "hardline",
    description: "turns the machine off",
    programs: ["telinit"],
    test: (command) =>
      /^[06]$/.test(parseLeading(command.args, { values: "te" }).operands[0] ?? ""),
    match: ["telinit 0"],
    noMatch: ["telinit q"],
  },
  {
    key: "kernel trigger",
    kind: "hardline",
    description: "reboots or crashes the kernel directly",
    programs: ["tee"],
    redirections: true,
    test: (command) =>
      command.redirects.some(({ op, target }) => op !== "<" && target === SYSRQ) ||
      (command.program === "tee" && command.args.includes(SYSRQ)),
    match: ["echo b > /proc/sysrq-trigger", "echo b | sudo tee /proc/sysrq-trigger"],
    noMatch: ["cat /proc/sysrq-trigger"],
  },
  {
    key: SUDO_STDIN_KEY,
    kind: "hardline",
    description: "feeds sudo a password the operator did not configure",
    programs: ["sudo"],
    test: (command) => hasFlag(sudoOptions(command), "S", "stdin"),
    match: ["echo pw | sudo -S whoami", "sudo -k && sudo -S x", "sudo -nS ls", "sudo --stdin x"],
    noMatch: ["sudo whoami", "echo -S hello", 'echo "sudo -S x"', "sudo -u bob ls -S"],
  },
];
