/** Rights, mounts, accounts, network settings and protection of the machine. */
import { type Invocation, parseOptions } from "../shell/invocation.ts";
import { setsId } from "../modes.ts";
import { byProgram, type Rule } from "./rule.ts";

/** `su` to root, or with a command; to a service's user is everyday work. */
function becomesRoot({ args }: Invocation): boolean {
  if (args.some((arg) => /^--(?:help|version)$/.test(arg))) return false;
  const { operands } = parseOptions(args, {
    values: "cgGsw",
    longValues: ["command", "shell"],
  });
  const user = operands.find((word) => word !== "-") ?? "root";
  return user === "root";
}

/** `mount` without arguments, or with `-l`, only lists. */
function mounts({ args }: Invocation): boolean {
  if (args.some((arg) => /^(?:-V|-h|--help|--version|-l|--show-labels)$/.test(arg))) return false;
  const { operands } = parseOptions(args, {
    values: "otTLUON",
    longValues: ["options", "types", "target", "source"],
  });
  return operands.length > 0 ||
    args.some((arg) => /^-[a-zA-Z]*[aBMR]|^--(?:all|bind|move|rbind)/.test(arg));
}

export const PRIVILEGE_RULES: readonly Rule[] = [
  {
    key: "setuid or setgid bit",
    kind: "dangerous",
    description: "lets whoever runs the file act as its owner",
    programs: ["chmod", "install", "mkdir", "mkfifo", "mknod", "rsync", "tar"],
    test: setsId,
    match: [
      "chmod u+s f",
      "chmod 4755 f",
      "chmod 02755 f",
      "chmod +s f",
      "install -m 4755 a b",
      "install --mode=u+s a b",
      "chmod u-s+s f",
      "chmod u=rwx,g-x+s f",
      "chmod -x+s f",
      "chmod u=g+s f",
    ],
    noMatch: [
      "chmod 755 f",
      "chmod 0644 f",
      "chmod +x f",
      "install -m 755 a b",
      "chmod 1777 d",
      "chmod u-s f",
      "chmod u+s-s f",
      "chmod go=u-w f",
    ],
  },
  {
    key: "capabilities and attributes",
    kind: "dangerous",
    description: "gives a file rights of its own, or takes the usual ones away",
    ...byProgram({
      setcap: { has: [/./], not: /^-[rvh]\b|--help/ },
      setpriv: /--(?:ambient|inh)-caps/,
      capsh: /--(?:caps|user|uid|gid|keep|secbits|addamb)/,
      setfacl: { has: [/./], not: /^-?-(?:b|remove-all|test|h|help|v)\b/ },
      chattr: /(?:^| )[-+=][aAcCdDeijsStTu]*[aiu]/,
      chflags: /./,
      xattr: /^-[a-z]*[cdw]/,
      mknod: /./,
      umask: /^0*(?:0{3}|[0-7]?[0-5]?[01])$|^(?:u=|a=|ugo=)?rwx|^0?000$/,
    }),
    match: [
      "setcap cap_setuid+ep /usr/bin/python3",
      "chattr +i f",
      "setfacl -m u:x:rwx f",
      "mknod /tmp/sda b 8 0",
      "umask 000",
    ],
    noMatch: ["getcap f", "lsattr f", "umask 022", "umask 077", "xattr -l f", "umask"],
  },
  {
    key: "mount or unmount",
    kind: "dangerous",
    description: "changes which file systems are where",
    programs: [
      "mount",
      "umount",
      "fusermount",
      "fusermount3",
      "sshfs",
      "pivot_root",
      "swapoff",
      "swapon",
      "losetup",
      "systemd-mount",
      "systemd-umount",
      "mount.nfs",
      "guestmount",
      "bindfs",
      "diskutil",
      "hdiutil",
      "udisksctl",
      "switch_root",
    ],
    test: (command) => {
      const { program, args } = command;
      if (program === "mount") return mounts(command);
      if (program === "losetup") {
        return args.some((arg) => /^-[a-z]*[dDfc]|^\/dev\/loop\d+$/.test(arg)) && args.length > 1 ||
          args.includes("-D");
      }
      if (program === "diskutil") return /^(?:u?n?mount|eject|umount)/i.test(args[0] ?? "");
      if (program === "hdiutil") {
        return /^(?:attach|detach|eject|mount|erasekeys|convert)$/.test(args[0] ?? "");
      }
      if (program === "udisksctl") {
        return /^(?:mount|unmount|loop-|power-off|unlock|lock)/.test(args[0] ?? "");
      }
      return args.length > 0 &&
        !args.some((arg) => /^(?:-h|-V|--help|--version|--show|-s)$/.test(arg));
    },
    match: [
      "umount -l /home",
      "mount --bind a /etc",
      "mount -o remount,rw /",
      "sudo umount --lazy /srv",
      "sshfs h:/ m",
      "swapoff -a",
      "umount /mnt",
    ],
    noMatch: ["mount", "mount | grep ext4", "mount -l", "swapon --show", "diskutil list"],
  },
  {
    key: "become root",
    kind: "dangerous",
    description: "acts as root from here on",
    programs: ["su"],
    test: becomesRoot,
    match: ["su", "su - root -c id", "su root"],
    noMatch: ["su - postgres", "su --help"],
  },
  {
    key: "become another user",
    kind: "dangerous",
    description: "opens a shell with another user's rights",
    ...byProgram({
      pkexec: /\b(?:ba|z|da|k|c|fi)?sh\b/,
      doas: /(?:^| )-s(?: |$)|(?:^| )(?:ba|z|da|k|c|fi)?sh(?: |$)/,
      run0: /^(?:--\S+ )*(?:(?:ba|z|da|k|c|fi)?sh)?(?: |$)/,
      sudo: /^(?:-\S+ )*(?:\S*\/)?(?:su|(?:ba|z|da|k|c|fi)?sh)(?: -\S*)?$/,
      machinectl: /^(?:shell|login|remove|terminate|poweroff|kill)\b/,
      newgrp: /./,
      capsh: /--$|-- -c/,
    }),
    match: ["sudo su -", "pkexec bash", "doas sh", "sudo bash"],
    noMatch: ["sudo whoami", "sudo -u postgres psql", "sudo ls", "sudo -i"],
  },
  {
    key: "accounts and log-in",
    kind: "dangerous",
    description: "changes who may log in, or how",
    ...byProgram({
      newusers: /^/,
      chage: { has: [/./], not: /^-l\b|--list/ },
      faillock: /--reset/,
      pam_tally2: /--reset/,
      groupmems: /-[adp]\b/,
      pw: /\b(?:useradd|usermod|userdel|groupadd|groupmod|groupdel|lock|unlock)\b/,
      dscl: /-(?:create|passwd|delete|append|merge|change)\b/,
      sysadminctl: /-(?:addUser|deleteUser|resetPasswordFor|newPassword|adminUser|guestAccount)/,
      dseditgroup: /-o (?:edit|create|delete)/,
      pwpolicy: /-(?:set|clear|disable|enable|delete)/,
      gpasswd: /./,
      grpconv: /^/,
      pwconv: /^/,
      pwunconv: /^/,
      "htpasswd": /\/etc\//,
      realm: /^(?:join|leave|permit|deny)\b/,
      smbpasswd: /^/,
      ldapmodify: /./,
      ldapadd: /./,
      ldapdelete: /./,
      "new-localuser": /^/,
      "add-localgroupmember": /^/,
    }),
    match: [
      "newusers users.txt",
      "chage -E -1 eve",
      "gpasswd -a eve wheel",
      "dscl . -create /Users/eve",
      "faillock --user root --reset",
    ],
    noMatch: ["chage -l me", "dscl . -list /Users", "pw usershow me"],
  },
  {
    key: "accept any certificate",
    kind: "dangerous",
    description: "makes programs trust whoever answers",
    variables: true,
    programs: ["export"],
    test: ({ program, env, args }) => {
      const off = (name: string, value: string) =>
        (name === "NODE_TLS_REJECT_UNAUTHORIZED" && value === "0") ||
        (name === "GIT_SSL_NO_VERIFY" && !/^(?:0|false|)$/.test(value)) ||
        (name === "PYTHONHTTPSVERIFY" && value === "0");
      for (const [name, value] of env) if (off(name, value)) return true;
      return program === "export" &&
        args.some((arg) => off(arg.split("=", 1)[0]!, arg.slice(arg.indexOf("=") + 1)));
    },
    match: ["export NODE_TLS_REJECT_UNAUTHORIZED=0", "NODE_TLS_REJECT_UNAUTHORIZED=0 node x.js"],
    noMatch: ["export NODE_ENV=test", "NODE_ENV=x node y.js"],
  },
  {
    key: "owner of system files",
    kind: "dangerous",
    description: "gives files of the system, or the rights of root, to somebody",
    programs: ["chown", "chgrp", "chmod"],
    test: ({ program, args }) => {
      const words = args.filter((arg) => !arg.startsWith("-"));
      const shared = words.slice(1).some((path) =>
        /^\/(?:dev\/|var\/run\/docker\.sock|run\/docker\.sock|srv$|opt$|var$|tmp$|etc\/?$)/.test(
          path,
        )
      );
      if (program === "chmod") {
        return shared || (/^0{1,4}$/.test(words[0] ?? "") && words.length > 1);
      }
      return shared || args.some((arg) => arg.startsWith("--from"));
    },
    match: [
      "chmod 666 /dev/sda",
      "chgrp docker /var/run/docker.sock",
      "chmod 000 x",
      "chown --from=root nobody x",
    ],
    noMatch: ["chown me:me f", "sudo chown -R $USER:$USER .", "chmod 755 f", "chmod 600 f"],
  },
];
