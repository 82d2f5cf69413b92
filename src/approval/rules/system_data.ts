/** Users, protection, kernel and packages: what the machine itself depends on. */
import { hasFlag, type Invocation, parseOptions } from "../shell/invocation.ts";
import { given, operands, type Rule } from "./rule.ts";
import { subcommand } from "../shell/unwrap.ts";

const ACCOUNT_TOOLS = (
  "passwd chpasswd usermod useradd userdel adduser deluser groupadd groupmod groupdel gpasswd " +
  "chsh visudo vipw vigr"
).split(" ");
const FIREWALLS = ["iptables", "ip6tables", "nft", "ufw", "firewall-cmd"];
const REMOVERS = (
  "apt apt-get aptitude dpkg yum dnf microdnf zypper rpm pacman apk snap flatpak emerge brew port pkg"
).split(" ");

/** Whether a firewall is switched off or loses rules. */
function opensFirewall(command: Invocation): boolean {
  const { program, args } = command;
  const [verb = ""] = operands(command);
  switch (program) {
    case "ufw":
      return verb === "disable" || verb === "reset" || verb === "delete";
    case "nft":
      return verb === "flush" || verb === "delete" || verb === "destroy";
    case "firewall-cmd":
      return args.some((arg) => /^--(?:panic-off|remove-|set-default-zone)/.test(arg));
    default:
      return args.some((arg) => /^(?:-[FXDPZ]|--(?:flush|delete|policy|delete-chain))$/.test(arg));
  }
}

function removesPackages(command: Invocation): boolean {
  const { program, args } = command;
  if (given(command, "dry-run", "simulate", "just-print", "no-act")) return false;
  switch (program) {
    case "dpkg":
      return given(command, "r", "remove", "P", "purge");
    case "rpm":
      return given(command, "e", "erase");
    case "pacman":
      return args.some((arg) => /^-R|^--remove$/.test(arg));
    case "emerge":
      return given(command, "C", "unmerge", "c", "depclean");
    case "apk":
      return operands(command)[0] === "del";
    default:
      return /^(?:remove|purge|autoremove|autopurge|erase|uninstall|rm)$/
        .test(subcommand(args, "").name);
  }
}

export const SYSTEM_RULES: readonly Rule[] = [
  {
    key: "change users or groups",
    kind: "dangerous",
    description: "changes who may use the machine, or what they may do",
    programs: ACCOUNT_TOOLS,
    test: (command) =>
      !hasFlag(parseOptions(command.args), "S", "status", "help", "version", "check") &&
      !(command.program === "visudo" && given(command, "c")),
    match: ["passwd root", "sudo usermod -aG sudo bob", "userdel bob", "echo r:x | chpasswd"],
    noMatch: ["passwd -S bob", "id bob", "getent passwd root", "visudo -c", "useradd --help"],
  },
  {
    key: "lower network or system protection",
    kind: "dangerous",
    description: "opens the firewall or switches protection off",
    programs: [...FIREWALLS, "setenforce", "sysctl", "csrutil", "spctl", "auditctl"],
    test: (command) => {
      const { program, args } = command;
      if (FIREWALLS.includes(program)) return opensFirewall(command);
      if (program === "setenforce") return /^(?:0|permissive)$/i.test(args[0] ?? "");
      if (program === "sysctl") {
        return given(command, "w", "write", "p", "load", "system") ||
          operands(command).some((arg) => arg.includes("="));
      }
      return args.some((arg) => /disable$|^-e0?$/.test(arg));
    },
    match: [
      "iptables -F",
      "nft flush ruleset",
      "sudo ufw disable",
      "setenforce 0",
      "sysctl -w kernel.panic=1",
      "csrutil disable",
    ],
    noMatch: [
      "iptables -L -n",
      "ufw status",
      "sysctl -a",
      "sysctl vm.swappiness",
      "nft list ruleset",
    ],
  },
  {
    key: "load or unload kernel code",
    kind: "dangerous",
    description: "changes what runs inside the kernel",
    programs: ["insmod", "rmmod", "modprobe", "kexec", "dkms"],
    test: (command) => {
      const { program, args } = command;
      if (program === "dkms") return /^(?:install|remove|uninstall)$/.test(args[0] ?? "");
      return args.length > 0 && !given(command, "n", "dry-run", "show-depends", "help", "version");
    },
    match: ["insmod evil.ko", "rmmod ext4", "sudo modprobe -r kvm", "kexec -e"],
    noMatch: ["modprobe --show-depends kvm", "lsmod", "modinfo kvm", "dkms status"],
  },
  {
    key: "remove system packages",
    kind: "dangerous",
    description: "removes programs that others may depend on",
    programs: REMOVERS,
    test: removesPackages,
    match: [
      "sudo apt-get remove -y python3",
      "apt purge libc6",
      "dpkg -r curl",
      "dnf remove bash",
      "pacman -Rns vim",
      "apk del git",
      "snap remove firefox",
      "rpm -e glibc",
    ],
    noMatch: [
      "apt install -y jq",
      "sudo apt remove --dry-run vim",
      "apt list --installed",
      "dpkg -l",
      "pacman -Qs vim",
      "rpm -qa",
      "apt-get install remove-this",
    ],
  },
];
