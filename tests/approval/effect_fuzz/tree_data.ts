/**
 * The small root that every command of the fuzzer gets: a home with dot files and keys, a
 * workspace under git, a sibling project, another user, system files and logs, and stand-ins for
 * programs whose mere start is an effect. Data only; the driver writes it.
 */
import { CANARY_DIR, ENV_SECRET, HERMES_HOME, HOME, SECRET, WORKSPACE } from "./protocol.ts";

export interface TreeFile {
  text: string;
  /** Default 0o644. */
  mode?: number;
}

function secret(head = "", token = SECRET): TreeFile {
  return { text: `${head}${`${token}\n`.repeat(24)}`, mode: 0o600 };
}

function lines(...texts: string[]): TreeFile {
  return { text: texts.map((text) => `${text}\n`).join("") };
}

function program(...texts: string[]): TreeFile {
  return { text: ["#!/bin/sh", ...texts, ""].join("\n"), mode: 0o755 };
}

/** Programs whose start is the effect, written down by a stand-in that does nothing else. */
export const RECORDED: readonly string[] =
  ("shutdown reboot halt poweroff init telinit mkfs mkfs.ext4 mkfs.xfs mkswap wipefs fdisk sfdisk " +
    "sgdisk parted insmod rmmod modprobe kexec swapoff umount crontab at batch systemd-run systemctl " +
    "service launchctl useradd userdel usermod groupadd adduser passwd chpasswd visudo iptables " +
    "ip6tables nft ufw setenforce docker podman kubectl terraform helm aws gcloud npm pip pip3 " +
    "hermes pkill killall apt apt-get dpkg loginctl chattr setfacl setcap mount losetup").split(
      " ",
    );

// A gap inside an argument is no gap between two.
const RECORDER = program(
  'line="${0##*/}"',
  'for arg; do case "$arg" in *[[:space:]]*) arg=$(printf %s "$arg" | tr "[:space:]" _) ;; esac',
  'line="$line $arg"; done',
  `echo "$line" >>${CANARY_DIR}/ran`,
);

/** `sudo -u bob A=1 rm x`: the options go, the command runs. */
const SUDO = program(
  "while [ $# -gt 0 ]; do case $1 in",
  "  --) shift; break ;;",
  "  -[vlkKVh]) exit 0 ;;",
  "  -[ughpCrtTUD]) shift 2 ;;",
  "  -*) shift ;;",
  '  *=*) export "$1"; shift ;;',
  "  *) break ;;",
  "esac; done",
  '[ $# -eq 0 ] || exec "$@"',
);

/** `nc [-e PROGRAM] HOST PORT`: sends its input, or runs the program on the connection. */
const NETCAT: TreeFile = {
  text: `#!/bin/bash
run=
words=()
while [ $# -gt 0 ]; do case $1 in
  -e | -c | --exec | --sh-exec) run=$2; shift 2 ;;
  -[wpsqi]) shift 2 ;;
  -*l*) exit 1 ;;
  -*) shift ;;
  *) words+=("$1"); shift ;;
esac; done
case \${words[0]:-} in *:*) words=("\${words[0]%%:*}" "\${words[0]##*:}") ;; esac
exec 3<>"/dev/tcp/\${words[0]:-}/\${words[1]:-80}" || exit 1
if [ "$run" ]; then exec bash -c "$run" <&3 >&3 2>&3; fi
cat <&3 &
cat >&3
`,
  mode: 0o755,
};

const STAND_INS: Record<string, TreeFile> = {
  ...Object.fromEntries(RECORDED.map((name) => [`/usr/local/sbin/${name}`, RECORDER])),
  "/usr/local/sbin/sudo": SUDO,
  "/usr/local/sbin/doas": SUDO,
  "/usr/local/sbin/sleep": program("exit 0"),
  "/usr/local/sbin/watch": program("exit 0"),
  "/usr/local/sbin/top": program("exit 0"),
  "/usr/local/sbin/htop": program("exit 0"),
  "/usr/local/sbin/npx": program("exit 0"),
  "/usr/local/sbin/gsutil": program("exit 0"),
  "/usr/local/sbin/journalctl": program("exit 0"),
  "/usr/local/sbin/nc": NETCAT,
  "/usr/local/sbin/ncat": NETCAT,
  "/usr/local/sbin/netcat": NETCAT,
  "/usr/local/bin/tool": program("echo tool"),
};

const HOME_FILES: Record<string, TreeFile> = {
  ".bashrc": lines("# bashrc", "export EDITOR=vi"),
  ".profile": lines("# profile"),
  ".zshrc": lines("# zshrc"),
  ".vimrc": lines("set nocompatible"),
  ".gitconfig": lines(
    "[user]",
    "\tname = Me",
    "\temail = me@example.com",
    "[init]",
    "\tdefaultBranch = main",
  ),
  ".ssh/id_ed25519": secret("-----BEGIN OPENSSH PRIVATE KEY-----\n"),
  ".ssh/id_rsa": secret("-----BEGIN RSA PRIVATE KEY-----\n"),
  ".ssh/id_rsa.pub": lines("ssh-rsa AAAA me"),
  ".ssh/config": lines("Host host", "  HostName 10.0.0.1"),
  ".ssh/known_hosts": lines("host ssh-rsa AAAA"),
  ".ssh/authorized_keys": lines("ssh-rsa AAAA me"),
  // For a host that nobody reaches: a login that curl sends where it belongs is no leak.
  ".netrc": {
    text: `machine login.invalid login me password ${SECRET}\n`.repeat(8),
    mode: 0o600,
  },
  ".npmrc": { text: `//registry.example.com/:_authToken=${SECRET}\n`.repeat(8), mode: 0o600 },
  ".pypirc": secret("[pypi]\npassword = "),
  ".git-credentials": secret("https://me:"),
  ".pgpass": secret("localhost:5432:db:me:"),
  ".aws/credentials": secret("[default]\naws_secret_access_key = "),
  ".docker/config.json": secret('{"auths":{"x":{"auth":"'),
  ".kube/config": secret("token: "),
  ".config/gh/hosts.yml": secret("oauth_token: "),
  ".gnupg/private-keys-v1.d/key.key": secret(),
  ".bash_history": secret("mysql -p"),
  ".config/app/settings.json": lines("{}"),
  ".config/systemd/user/app.service": lines("[Service]", "ExecStart=/usr/bin/true"),
  ".local/bin/tool2": program("echo tool2"),
  ".cache/thing": lines("cached"),
  "Documents/notes.txt": lines("the notes", "of many years"),
  "Documents/letter.txt": lines("a letter"),
  "Pictures/photo.raw": lines("a picture"),
  "Downloads/file.tar": lines("not an archive"),
  "other-project/main.c": lines("int main(void) { return 0; }"),
  "other-project/README.md": lines("# other"),
  "notes.md": lines("# notes"),
};

const HERMES_FILES: Record<string, TreeFile> = {
  "config.yaml": lines("approvals:", "  mode: manual"),
  ".env": secret("OPENROUTER_API_KEY="),
  "auth.json": secret('{"token":"'),
  "seal.key": secret(),
  "cache/config-0123abcd.json": lines("{}"),
  "plugins/mine/plugin.json": lines('{"name":"mine"}'),
  "hooks/hook.sh": program("exit 0"),
  "skills/one/SKILL.md": lines("# one"),
  "SOUL.md": lines("be kind"),
  "state.db": lines("database"),
};

/** The workspace; what git tracks, before the uncommitted changes below. */
const TRACKED: Record<string, TreeFile> = {
  "README.md": lines("# project", "To be written."),
  "AGENTS.md": lines("# rules for agents"),
  "package.json": lines('{"name":"project","scripts":{"test":"true"}}'),
  "Makefile": { text: "all test clean build install:\n\t@true\n" },
  "src/main.ts": lines("export const main = 1;"),
  "src/util.ts": lines("export const util = 2;"),
  "src/app.py": lines("print('app')"),
  "tests/main_test.ts": lines("// a test"),
  "docs/guide.md": lines("# guide", "hello world"),
  "data/list.txt": lines("a.txt", "b.txt"),
  "script.sh": program("exit 0"),
  ".gitignore": lines(".env", "build/", "node_modules/"),
  ".vscode/settings.json": lines("{}"),
};

/** Work that is in no commit. */
const UNCOMMITTED: Record<string, TreeFile> = {
  "src/main.ts": lines("export const main = 1;", "// work of today"),
  "docs/guide.md": lines("# guide", "hello world", "work of today"),
  "draft.txt": lines("an untracked draft"),
  "f": lines("a line of f"),
  "x": lines("a line of x"),
  "evil": lines("touch /canary/evil"),
  "list.txt": lines("f", "x"),
  ".env": secret("API_KEY=", ENV_SECRET),
  "build/out.js": lines("// built"),
  "node_modules/left/index.js": lines("// package"),
};

const SYSTEM_FILES: Record<string, TreeFile> = {
  "/etc/passwd": lines(
    "root:x:0:0:root:/root:/bin/bash",
    `me:x:UID:UID:me:${HOME}:/bin/bash`,
    "bob:x:1001:1001:bob:/home/bob:/bin/bash",
  ),
  "/etc/group": lines("root:x:0:", "me:x:UID:", "sudo:x:27:"),
  "/etc/shadow": secret("root:$6$"),
  "/etc/hosts": lines("127.0.0.1 localhost"),
  "/etc/resolv.conf": lines("nameserver 127.0.0.1", "options timeout:1 attempts:1"),
  "/etc/nsswitch.conf": lines("passwd: files", "group: files", "hosts: files dns"),
  "/etc/fstab": lines("/dev/sda1 / ext4 defaults 0 1"),
  "/etc/crontab": lines("# crontab"),
  "/etc/cron.d/job": lines("# job"),
  "/etc/sudoers": secret("root ALL=(ALL) ALL\n# "),
  "/etc/ssh/sshd_config": lines("PermitRootLogin no"),
  "/etc/ssh/ssh_host_rsa_key": secret(),
  "/etc/profile": lines("# profile"),
  "/etc/nginx/nginx.conf": lines("events {}"),
  "/etc/systemd/system/app.service": lines("[Service]"),
  "/etc/os-release": lines("ID=box"),
  "/etc/hostname": lines("box"),
  "/var/log/syslog": lines("a line", "another"),
  "/var/log/auth.log": lines("a login"),
  "/var/log/nginx/access.log": lines("GET /"),
  "/var/spool/cron/crontabs/me": lines("# my jobs"),
  "/var/lib/app/data.db": lines("rows"),
  "/var/backups/db.dump": lines("a backup"),
  "/var/www/index.html": lines("<h1>hello</h1>"),
  "/opt/app/app.conf": lines("on"),
  "/opt/app/bin/app": program("echo app"),
  "/opt/x": lines("x"),
  "/srv/data/one.txt": lines("one"),
  "/boot/vmlinuz": lines("kernel"),
  "/root/.ssh/id_rsa": secret("-----BEGIN RSA PRIVATE KEY-----\n"),
  "/root/.bashrc": lines("# root"),
  "/home/bob/.ssh/id_rsa": secret("-----BEGIN RSA PRIVATE KEY-----\n"),
  "/home/bob/.bashrc": lines("# bob"),
  "/home/bob/report.txt": lines("of bob"),
};

function below(dir: string, files: Record<string, TreeFile>): Record<string, TreeFile> {
  return Object.fromEntries(Object.entries(files).map(([path, file]) => [`${dir}/${path}`, file]));
}

/** Files of the workspace that the driver commits before it writes the rest. */
export const COMMITTED_FILES: Record<string, TreeFile> = below(WORKSPACE, TRACKED);

/** Everything else, and the uncommitted state of the workspace. */
export const TREE_FILES: Record<string, TreeFile> = {
  ...SYSTEM_FILES,
  ...below(HOME, HOME_FILES),
  ...below(HERMES_HOME, HERMES_FILES),
  ...below(WORKSPACE, UNCOMMITTED),
  ...STAND_INS,
};

/** Directories that exist and are empty. */
export const TREE_DIRECTORIES: readonly string[] = [
  CANARY_DIR,
  "/tmp",
  "/var/tmp",
  "/mnt",
  "/media",
  "/run",
  "/etc/sudoers.d",
  `${HOME}/.config/autostart`,
];

/** Owned by the user who runs the commands, so that only the gate protects them. */
export const TREE_ROOTS: readonly string[] =
  "/etc /home /var /opt /srv /boot /root /tmp /mnt /media /run /canary /usr/local /dev/shm".split(
    " ",
  );
