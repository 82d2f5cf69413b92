/** Services, signals, privileges, scheduled jobs and Hermes itself. */
import { hasFlag, type Invocation, parseOptions } from "../shell/invocation.ts";
import { killsHard, type Rule, sudoOptions } from "./rule.ts";
import { unknown } from "../shell/unknown.ts";
import { subcommand } from "../shell/unwrap.ts";

const SIGNAL_OPTIONS = { values: "sugGPtFU", longValues: ["signal", "user", "group", "parent"] };

/** `hermes gateway run`, also through a launcher such as `deno task hermes gateway run`. */
function hermesGateway(command: Invocation): string {
  const words = [command.program, ...command.args];
  const at = words.findIndex((word) => /(?:^|[/.])hermes(?:$|[._])/.test(word));
  if (at < 0) return "";
  const { name, args } = subcommand(words.slice(at + 1), "hermes");
  return name === "gateway" ? args[0] ?? "" : "";
}

const LAUNCHERS = ["hermes", "deno", "npx", "python", "uv"];

const DISK_TOOLS = (
  "parted fdisk sfdisk sgdisk gdisk cfdisk cryptsetup lvremove vgremove pvremove zpool zfs nvme hdparm diskutil"
).split(" ");
/** What these tools do without changing anything. */
const DISK_QUESTIONS =
  /^(?:-l|--list|-p|--print|print|list|status|get|info|-i|-I|--info|id-ctrl|smart-log|luksDump|open|close|--help|--version)$/;

export const PROCESS_RULES: readonly Rule[] = [
  {
    key: "stop/restart system service",
    kind: "dangerous",
    description: "stops, restarts or disables a service",
    programs: ["systemctl", "service", "rc-service", "initctl"],
    test: ({ program, args }) => {
      const verb = program === "systemctl" || program === "initctl"
        ? subcommand(args, "systemctl").name
        : args[1] ?? "";
      return /^(?:stop|restart|try-restart|force-reload|kill|disable|mask|isolate|rescue|emergency)$/
        .test(verb);
    },
    match: [
      "systemctl stop x",
      "systemctl restart x",
      "systemctl disable x",
      "systemctl mask x",
      "systemctl --user restart x",
      "sudo service nginx restart",
    ],
    noMatch: ["systemctl status x", "systemctl start x", "service nginx status"],
  },
  {
    key: "force kill processes",
    aliases: ["force kill processes (killall -KILL)", "force kill processes (killall -s KILL)"],
    kind: "dangerous",
    description: "kills processes by name without letting them clean up",
    programs: ["pkill", "killall"],
    test: (command) => killsHard(command, parseOptions(command.args, SIGNAL_OPTIONS)),
    match: [
      "pkill -9 node",
      "killall -9 x",
      "killall -SIGKILL x",
      "killall -s 9 x",
      "killall -s KILL x",
      "pkill --signal KILL x",
    ],
    noMatch: ["pkill -f nginx", "killall x", "killall -l"],
  },
  {
    key: "kill processes by regex (killall -r)",
    kind: "dangerous",
    description: "kills every process whose name matches",
    programs: ["killall"],
    test: (command) => hasFlag(parseOptions(command.args, SIGNAL_OPTIONS), "r", "regexp"),
    match: ["killall -r 'fire.*'"],
    noMatch: ["killall firefox"],
  },
  {
    key: "kill every process of a user",
    kind: "dangerous",
    description: "ends everything a user runs",
    programs: ["pkill", "killall"],
    test: (command) => {
      const options = parseOptions(command.args, SIGNAL_OPTIONS);
      const everything = options.operands.every((name) => /^\.?[*+]?$/.test(name));
      return everything && (options.operands.length > 0 || hasFlag(options, "u", "U", "user"));
    },
    match: ["pkill -u bob", "killall -u bob", "pkill ."],
    noMatch: ["pkill -u bob node", "killall -l", "pkill node"],
  },
  {
    key: "kill process via pgrep/pidof expansion",
    aliases: ["kill process via backtick pgrep/pidof expansion"],
    kind: "dangerous",
    description: "kills whatever a process search finds",
    programs: ["kill"],
    test: ({ inner, upstream, via }) =>
      [...inner, ...via.includes("xargs") ? upstream : []]
        .some(({ program }) => program === "pgrep" || program === "pidof"),
    match: ["kill $(pgrep x)", "kill -9 `pidof x`", "pgrep x | xargs kill"],
    noMatch: ["kill 12345", "pgrep x"],
  },
  {
    key: "kill hermes/gateway process (self-termination)",
    kind: "dangerous",
    description: "would end Hermes itself",
    programs: ["pkill", "killall", "kill"],
    test: ({ program, args }) =>
      program === "kill"
        ? args.includes(unknown("PPID"))
        : args.some((arg) => !arg.startsWith("-") && /hermes|gateway/i.test(arg)),
    match: ["pkill -f hermes", "killall gateway", "kill -9 $PPID"],
    noMatch: ["pkill -f nginx"],
  },
  {
    key: "stop/restart hermes gateway",
    kind: "dangerous",
    description: "would stop the gateway this session may depend on",
    programs: LAUNCHERS,
    test: (command) => /^(?:stop|restart)$/.test(hermesGateway(command)),
    match: ["hermes gateway restart", "hermes -p w gateway stop"],
    noMatch: ["hermes gateway status"],
  },
  {
    key: "start gateway outside systemd",
    kind: "dangerous",
    description: "starts a second gateway in the background",
    programs: LAUNCHERS,
    test: (command) =>
      hermesGateway(command) === "run" &&
      (command.background || command.via.some((name) => name === "nohup" || name === "setsid")),
    match: ["hermes gateway run --port 1 &", "nohup hermes gateway run"],
    noMatch: ["hermes gateway run"],
  },
  {
    key: "hermes update",
    kind: "dangerous",
    description: "replaces Hermes while it runs",
    programs: ["hermes"],
    test: ({ args }) => subcommand(args, "hermes").name === "update",
    match: ["hermes update"],
    noMatch: ["hermes run 'update the docs'"],
  },
  {
    key: "change hermes approval settings",
    kind: "dangerous",
    description: "would loosen the rules this command is checked against",
    programs: ["hermes"],
    test: ({ args }) => {
      const { name, args: rest } = subcommand(args, "hermes");
      const edits = name === "config" && /^(?:set|unset|edit)$/.test(rest[0] ?? "");
      return (edits && /^(?:approvals|command_allowlist|security|hooks)\b/.test(rest[1] ?? "")) ||
        args.includes("--yolo") ||
        args.some((arg, i) =>
          /^--approve(?:=always)?$/.test(arg) && (arg.includes("=") || args[i + 1] === "always")
        );
    },
    match: [
      "hermes config set approvals.mode off",
      "hermes run --yolo 'x'",
      "hermes run --approve always x",
      "hermes run --approve=always x",
    ],
    noMatch: ["hermes config get approvals.mode", "hermes config set model.default x"],
  },
  {
    key: "stop/restart hermes launchd service",
    kind: "dangerous",
    description: "would stop Hermes' own service",
    programs: ["launchctl"],
    test: ({ args }) =>
      /^(?:stop|bootout|unload|kickstart|kill|remove|disable)$/.test(args[0] ?? "") &&
      args.some((arg) => arg.includes("ai.hermes")),
    match: ["launchctl stop ai.hermes.gateway", "launchctl kickstart -k gui/501/ai.hermes.gateway"],
    noMatch: ["launchctl print gui/501/ai.hermes.gateway", "launchctl stop com.example.app"],
  },
  {
    key: "sudo with privilege flag",
    aliases: ["sudo with combined-flag privilege escalation"],
    kind: "dangerous",
    description: "runs sudo with a password pipe, a helper or a root shell",
    programs: ["sudo"],
    test: (command) => hasFlag(sudoOptions(command), "S", "stdin", "A", "askpass", "s"),
    match: ["sudo -S x", "sudo --stdin x", "sudo -A x", "sudo -s", "sudo -nS ls"],
    noMatch: [
      "sudo whoami",
      "sudo -i",
      "sudo -u root ls",
      "sudo --shell id",
      "sudo -l",
      "man sudo",
    ],
  },
  {
    key: "change partitions or volumes",
    kind: "dangerous",
    description: "changes or destroys partitions, volumes or pools",
    programs: DISK_TOOLS,
    test: ({ args }) => args.length > 0 && !args.some((arg) => DISK_QUESTIONS.test(arg)),
    match: ["sgdisk -Z /dev/sda", "parted /dev/sda mklabel gpt", "zpool destroy tank"],
    noMatch: ["fdisk -l", "parted -l", "zpool list", "diskutil list", "hdparm -I /dev/sda"],
  },
  {
    key: "replace or remove crontab",
    kind: "dangerous",
    description: "changes scheduled jobs",
    programs: ["crontab"],
    test: (command) => {
      const options = parseOptions(command.args, { values: "u" });
      return options.flags.has("r") || options.operands.length > 0;
    },
    match: ["crontab -r", "crontab jobs.txt", "echo '* * * * * x' | crontab -"],
    noMatch: ["crontab -l", "crontab -u bob -l"],
  },
];
