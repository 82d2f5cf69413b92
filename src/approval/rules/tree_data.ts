/** Trees and places beyond the project: system data, whole homes, what searches find. */
import { deletedBy, touchesOf, writtenBy } from "./effects.ts";
import type { Invocation } from "../shell/invocation.ts";
import { absolutePath, canonicalPath, deleteTarget } from "../shell/paths.ts";
import { holdsSecretTree, protectionAt, withoutPattern } from "./protection.ts";
import type { Rule } from "./rule.ts";
import { TREE_PROGRAMS, treesRead } from "./tree_reads.ts";
import { basename, isWithin } from "../../util/path.ts";

/** Below these directories live logs, mail, databases and devices. */
const SYSTEM_DATA =
  /^\/(?:private\/)?(?:var\/(?:log|lib|mail|spool|backups|run)|run|dev|srv\/backup|proc|sys)(?:\/|$)/;
const HARMLESS_DEVICE =
  /^\/dev\/(?:null|zero|full|u?random|stdin|stdout|stderr|tty|ptmx|fd(?:\/|$)|shm(?:\/|$)|tcp\/|udp\/|mqueue)|^\/proc\/self\/fd\/|^\/run\/user\//;

function changesSystemData(command: Invocation, all: readonly Invocation[]): boolean {
  if (command.program === "find" && namesSystemData(command)) {
    const changed = all.some((other) =>
      other.upstream.includes(command) && CHANGERS.test(other.program)
    );
    if (changed) return true;
  }
  return touchesOf(command).some(({ effect, path }) => {
    if (effect !== "write" && effect !== "delete" && effect !== "append") return false;
    const full = withoutPattern(absolutePath(path, command.place)).toLowerCase();
    if (!SYSTEM_DATA.test(full) || HARMLESS_DEVICE.test(full)) return false;
    return effect !== "append" || /^\/(?:dev|proc|sys)\//.test(full);
  });
}

const CHANGERS = /^(?:rm|truncate|shred|unlink|sed|perl|mv|tee|dd|gzip)$/;

function namesSystemData({ args, place }: Invocation): boolean {
  return args.some((word) =>
    /^[~/]/.test(word) && (SYSTEM_DATA.test(absolutePath(word, place).toLowerCase()) ||
      protectionAt(word, place) !== undefined)
  );
}

function deletesOutside(command: Invocation): boolean {
  const { cwd } = command.place;
  return deletedBy(command).some((path) => {
    if (deleteTarget(path, command.place) !== "absolute") return false;
    return cwd === undefined || cwd === "/" ||
      !isWithin(canonicalPath(path, command.place), canonicalPath(cwd, command.place));
  });
}

const UNPACKERS = "tar gtar bsdtar unzip 7z cpio pax rsync patch stow".split(" ");

/** Archives that may name files anywhere: `tar -P`, and `cpio -i` by itself. */
function unpacksAnywhere({ program, args }: Invocation): boolean {
  if (program === "cpio") {
    return args.some((arg) => /^-[a-z]{0,9}i|^--extract/.test(arg)) &&
      !args.some((arg) => /^-[a-z]{0,9}t|^--(?:list|no-absolute)/.test(arg));
  }
  return /tar$/.test(program) && args.some((arg) => /^-{0,2}[a-zA-Z]{0,9}x/.test(arg)) &&
    args.some((arg) => /^-[a-zA-Z]{0,9}P|^--absolute-names$/.test(arg));
}

/** Programs that pack or copy the files whose names they are given. */
const PACKERS = /^(?:cpio|pax|tar|gtar|bsdtar|zip|rsync|7z)$/;
/** Programs that tell of a file what its directory tells as well. */
const ONLY_LOOKS =
  /^(?:ls|stat|echo|printf|file|du|chmod|chown|basename|dirname|realpath|test|\[|wc|sort|uniq|head|tail|touch|rm|mkdir)$/;

/** `find ~ -type f -exec cat {} +`, `find ~ | cpio -o`, unless it reads only certain names. */
function findReadsTree(command: Invocation, all: readonly Invocation[]): boolean {
  const { args } = command;
  const end = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPD]$/.test(arg));
  const roots = args.slice(0, end < 0 ? undefined : end);
  const holdsSecrets = (roots.length > 0 ? roots : ["."])
    .some((path) => holdsSecretTree(path, command.place));
  if (!holdsSecrets) return false;
  const readers = all.filter((other) => other.upstream.includes(command));
  if (readers.some(({ program }) => PACKERS.test(program))) return true;
  if (args.some((arg) => /^-i?(?:name|path|wholename|regex)$/.test(arg))) return false;
  const at = args.findIndex((arg) => /^-(?:exec|execdir|ok|okdir)$/.test(arg));
  if (at >= 0 && !ONLY_LOOKS.test(basename(args[at + 1] ?? ""))) return true;
  return readers.some(({ program, via }) => via.includes("xargs") && !ONLY_LOOKS.test(program));
}

function readsHomeTree(command: Invocation, all: readonly Invocation[]): boolean {
  if (command.program === "find") return findReadsTree(command, all);
  return treesRead(command).some((path) =>
    holdsSecretTree(path, command.place) ||
    (command.program === "git" && (protectionAt(path, command.place)?.read ?? "free") !== "free")
  );
}

/** Names of files that are looked for because of what they hold. */
const SECRET_NAMES =
  /^(?:\.env[\w.*-]*|\*?\.?(?:pem|key|p12|pfx|kdbx|keystore|jks)|\*\.(?:pem|key|p12|pfx|kdbx|keystore|jks)|id_(?:rsa|dsa|ecdsa|ed25519|\*)\*?|\*?credentials\*?|\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|ssh|aws|gnupg|kube|bash_history|zsh_history)|\*?_history|shadow|secrets?\.\w+|known_hosts)$/i;
const LISTERS = new Set(["xargs", "parallel", "while"]);

/** `find ~ -name .env -exec cat {} +`, `locate id_rsa | xargs cat`. */
function readsFoundSecrets(command: Invocation, all: readonly Invocation[]): boolean {
  const named = command.program === "find"
    ? command.args.filter((_, i) =>
      /^-i?(?:name|path|wholename|regex)$/.test(command.args[i - 1] ?? "")
    )
    : command.args;
  const inSecrets = command.args.some((word) =>
    /[~/.]/.test(word) && protectionAt(word, command.place)?.read === "refuse"
  );
  if (!inSecrets && !named.some((name) => SECRET_NAMES.test(basename(name)))) return false;
  const shows = /^(?:ls|stat|echo|printf|test|\[|chmod|dirname|basename|realpath|wc|rm)$/;
  return all.some((other) =>
    other !== command &&
    (other.upstream.includes(command) ||
      (command.program === "find" && other.via.includes("find"))) &&
    !shows.test(other.program) && !/^(?:head|tail|sort|uniq|grep|tee|less|more|cat)?$/.test(
      other.via.length === 0 ? other.program : "-",
    ) && (other.via.length > 0 || LISTERS.has(other.program))
  );
}

/** Files that interpreters and tools load without being asked. */
const LOADED =
  /\/(?:site|dist)-packages\/(?:[^/]*\.pth|(?:site|user)customize\.py)$|\/sitecustomize\.py$|\/\.(?:pdbrc|pythonrc|irbrc|npmrc|yarnrc|bunfig\.toml|mise\.toml)$|\/\.husky\/|\/\.devcontainer\/devcontainer\.json$/;

export const TREE_RULES: readonly Rule[] = [
  {
    key: "file that loads by itself",
    kind: "dangerous",
    description: "changes a file that an interpreter or tool runs when it starts",
    redirections: true,
    programs: ["cp", "mv", "install", "ln", "tee", "curl", "wget", "rsync", "sed", "dd", "sponge"],
    test: (command) =>
      writtenBy(command).some((path) =>
        LOADED.test(`/${absolutePath(path, command.place)}`.toLowerCase())
      ),
    match: [
      "cp x.pth ~/.local/lib/python3.12/site-packages/",
      "echo x > .husky/pre-commit",
      "echo x > ~/.pdbrc",
    ],
    noMatch: ["cp x.py src/", "cat .husky/pre-commit", "echo x > y.pth"],
  },

  {
    key: "change logs or system data",
    kind: "dangerous",
    description: "overwrites or deletes logs, mail, databases or devices of the system",
    redirections: true,
    programs: (
      "rm unlink shred truncate tee cp mv ln install rsync dd sed gsed perl find sponge ed ex vim vi nano gzip " +
      "curl wget tar unzip patch sort trash-put gio wipe srm fallocate touch"
    ).split(" "),
    mentions: /\/(?:var|run|dev|proc|sys)\/|\/[^/\s]{0,40}[*?[]/,
    test: changesSystemData,
    match: [
      "> /var/log/auth.log",
      "truncate -s 0 /var/log/syslog",
      "cp /dev/null /var/log/wtmp",
      "sed -i /x/d /var/log/auth.log",
      "find /var/log -type f -delete",
      "ln -sf /dev/null /var/log/audit/audit.log",
      "echo x > /dev/pts/1",
    ],
    noMatch: [
      "tail -f /var/log/syslog",
      "./job.sh >> /var/log/job.log 2>&1",
      "echo x > /dev/null",
      "cp /var/log/syslog .",
      "ls 2> /dev/stderr",
      "echo x > /dev/shm/y",
    ],
  },
  {
    key: "delete in root path",
    kind: "dangerous",
    description: "deletes outside the project, by an absolute path",
    programs: "rm shred unlink srm wipe mv tar zip 7z find trash trash-put gio rsync rimraf".split(
      " ",
    ),
    test: deletesOutside,
    match: [
      "rm /var/log/a.log",
      "rm -f /opt/x",
      "mv /opt/app/data .",
      "tar czf x.tgz --remove-files /srv/www",
    ],
    noMatch: ["rm readme.txt", "rm -f /tmp/out.log", "mv a b"],
  },
  {
    key: "unpack over a home or the system",
    kind: "dangerous",
    description: "may replace any file of a home or of the system with what an archive holds",
    programs: UNPACKERS,
    test: (command) =>
      unpacksAnywhere(command) ||
      writtenBy(command).some((path) =>
        !path.includes(":") && /^(?:root|system|home)$/.test(deleteTarget(path, command.place))
      ),
    match: [
      "tar xf dots.tar -C ~",
      "unzip -o x.zip -d /",
      "rsync -a root/ /",
      "cpio -idm -D / < x",
    ],
    noMatch: [
      "tar xzf x.tgz",
      "tar xf x.tar -C ~/project",
      "unzip x.zip -d out",
      "rsync -a ~ /mnt/b",
    ],
  },
  {
    key: "read a whole home",
    kind: "dangerous",
    description: "copies, packs or searches everything in a home, keys and tokens included",
    programs: [...TREE_PROGRAMS, "find"],
    test: readsHomeTree,
    match: [
      "tar czf all.tgz ~",
      "grep -rn AWS_SECRET ~/",
      "rsync -a ~/ /mnt/b",
      "zip -r x.zip $HOME",
      "rg -uu key ~",
      "tar cf x.tar -C ~ .",
      "diff -r ~ /tmp/x",
      "git -C ~ add .",
      "find ~ | cpio -o > x",
    ],
    noMatch: [
      "tar czf x.tgz .",
      "grep -rn useState src/",
      "rsync -a src/ dst/",
      "cp -r ~/project /tmp/p",
      "rg foo ~",
      "tar cf x.tar -C ~/project .",
      "git -C ~/project add .",
      "find ~ -name '*.md' | xargs grep draft",
    ],
  },
  {
    key: "read secrets that a search finds",
    kind: "dangerous",
    description: "opens every key, history or variable file that a search finds",
    programs: ["find", "fd", "locate", "plocate", "ls"],
    test: readsFoundSecrets,
    match: [
      "find ~ -name .env -exec cat {} \\;",
      "find / -name '*.pem' | xargs cat",
      "locate id_rsa | xargs cat",
    ],
    noMatch: [
      "find . -name .env",
      "find . -name '*.ts' | xargs cat",
      "find . -name .env -exec ls -l {} +",
    ],
  },
];
