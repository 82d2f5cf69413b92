/**
 * What well-known programs do to the paths in their arguments. A program without a row reads
 * what its words name, and writes what its output options name.
 */

/**
 * `look`: names, sizes, times. `create`: an empty file or directory. `mode`: owner or permissions.
 */
export type Effect = "look" | "read" | "create" | "append" | "write" | "delete" | "mode";

export interface EffectRow {
  /** Letters and long names of options that take a value. */
  values?: string;
  longValues?: readonly string[];
  /** What happens to operands. */
  operands: Effect;
  /** Operands at the front that are no paths: a pattern, a mode, a subcommand. */
  skip?: number;
  /** The last of several operands, where it differs. */
  last?: Effect;
  /** Options whose value is a path, and what happens to it. */
  options?: Readonly<Record<string, Effect>>;
}

const ROWS: readonly (readonly [string, EffectRow])[] = [
  // Names, sizes and times only, or words that are no paths at all.
  [
    "ls dir stat test [ [[ df realpath readlink dirname basename echo printf cd pushd popd which whereis type " +
    "command tree exa eza lsd locate plocate ssh-add ssh mosh export declare local typeset readonly set unset alias " +
    "hash kill sleep true false : mountpoint findmnt namei lsattr getfacl getcap lsof fuser inotifywait " +
    "dotenv dotenvx direnv gh glab say notify-send hermes man tldr apropos function",
    { operands: "look" },
  ],
  ["date", {
    values: "fdrsI",
    longValues: ["file", "date", "set", "reference"],
    operands: "look",
    options: { f: "read", file: "read" },
  }],
  ["file", {
    values: "fFmPe",
    longValues: ["files-from", "magic-file"],
    operands: "look",
    options: { f: "read", "files-from": "read", m: "read" },
  }],
  ["du", {
    values: "dtX",
    longValues: ["files0-from", "exclude-from"],
    operands: "look",
    options: { "files0-from": "read", "exclude-from": "read", X: "read" },
  }],
  ["logsave mktemp", { operands: "write" }],
  ["csplit", {
    values: "fbn",
    longValues: ["prefix"],
    operands: "read",
    options: { f: "write", prefix: "write" },
  }],
  // Only names are seen; what they run is judged as a command of its own.
  ["find fd fdfind", { operands: "look" }],
  ["grep egrep fgrep zgrep rg ag ack ugrep", {
    values: "efmABCgtTjdDM",
    longValues: ["regexp", "file", "glob", "type", "include", "exclude", "max-count", "color"],
    operands: "read",
    skip: 1,
    options: { f: "read", file: "read", include: "read", glob: "read", g: "read" },
  }],
  ["rm srm unlink shred rimraf wipe del erase remove-item trash trash-put gvfs-trash rmdir", {
    values: "ns",
    longValues: ["iterations", "size", "random-source"],
    operands: "delete",
  }],
  ["gio", { operands: "delete", skip: 1 }],
  ["truncate", { values: "sro", longValues: ["size", "reference"], operands: "write" }],
  ["fallocate", { values: "lo", longValues: ["length", "offset"], operands: "write" }],
  [
    "sponge ed ex vi vim nvim view nano pico micro emacs mkfifo rename prename visudo sudoedit",
    {
      operands: "write",
    },
  ],
  ["mknod strip patchelf chrpath", { values: "o", operands: "write", options: { o: "write" } }],
  ["touch mkdir", {
    values: "dmrt",
    longValues: ["date", "mode", "reference"],
    operands: "create",
  }],
  ["chown chgrp chattr setfacl setcap", {
    values: "mxMX",
    longValues: ["from", "reference"],
    operands: "mode",
    skip: 1,
  }],
  ["patch", {
    values: "iodBpFDrVYzg",
    longValues: ["input", "output", "directory"],
    operands: "write",
    options: { o: "write", output: "write", d: "write", directory: "write" },
  }],
  ["uniq xxd ptx objcopy ffmpeg convert magick gcc g++ clang cc uuencode", {
    values: "oifsw",
    operands: "read",
    last: "write",
    options: { o: "write" },
  }],
  ["sort", {
    values: "okStT",
    longValues: ["output"],
    operands: "read",
    options: { o: "write", output: "write" },
  }],
  ["split", {
    values: "anblCt",
    operands: "read",
    last: "write",
    options: { filter: "read" },
  }],
  ["gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress", {
    values: "So",
    operands: "write",
    options: { o: "write" },
  }],
  ["stow", {
    values: "td",
    longValues: ["target", "dir"],
    operands: "look",
    options: { t: "write", target: "write" },
  }],
  ["unzip bsdtar", { values: "dx", operands: "read", options: { d: "write" } }],
  ["cpio pax", {
    values: "DFIEHCO",
    longValues: ["directory", "file"],
    operands: "read",
    options: { D: "write", directory: "write", O: "write" },
  }],
  ["aria2c", {
    values: "do",
    longValues: ["dir", "out"],
    operands: "read",
    options: { d: "write", dir: "write", o: "write" },
  }],
  ["curl", {
    values: "oKTdFHuXAbcDeEmxywCrtUzQY",
    longValues:
      "output output-dir trace trace-ascii stderr etag-save hsts alt-svc libcurl header user data form upload-file cookie-jar dump-header request url"
        .split(" "),
    operands: "read",
    options: {
      o: "write",
      output: "write",
      "output-dir": "write",
      c: "write",
      "cookie-jar": "write",
      D: "write",
      "dump-header": "write",
      trace: "write",
      "trace-ascii": "write",
      stderr: "write",
      "etag-save": "write",
      hsts: "write",
      "alt-svc": "write",
      libcurl: "write",
      K: "read",
    },
  }],
  ["wget", {
    values: "OPoaietTUBX",
    longValues: ["output-document", "directory-prefix", "output-file", "post-file", "body-file"],
    operands: "read",
    options: {
      O: "write",
      "output-document": "write",
      P: "write",
      "directory-prefix": "write",
      o: "write",
      "output-file": "write",
      a: "append",
    },
  }],
  ["openssl", { operands: "read", options: {} }],
  ["script", {
    values: "cEIOBTmo",
    longValues: ["command", "echo", "log-in", "log-out", "log-io", "log-timing", "output-limit"],
    operands: "write",
    options: { c: "look", command: "look" },
  }],
  ["debugfs sqlite litecli sqlitebrowser", { operands: "write" }],
  ["history fc", { values: "", operands: "write" }],
  ["ssh-keygen", {
    values: "bCfFIJKLMmNnOPRrStVWYz",
    operands: "look",
    options: { f: "write", D: "read" },
  }],
  ["logrotate", { values: "s", operands: "look" }],
];

export const EFFECTS: ReadonlyMap<string, EffectRow> = new Map(
  ROWS.flatMap(([names, row]) => names.split(" ").map((name) => [name, row] as const)),
);

/** Options of any program whose value names a file that is written. */
export const OUTPUT_OPTIONS =
  /^(?:-out|--(?:out[\w-]*|save|save-to|dest|destination|target-dir|directory-prefix|log-file|logfile|target|prefix|install-dir))$/;

/** Further options of single programs whose value names a file that is written. */
export const OPTION_WRITES: ReadonlyMap<string, readonly string[]> = new Map(
  ([
    ["awk gawk mawk nawk", "o pretty-print d dump-variables p profile"],
    ["gcc g++ clang clang++ cc c++", "-MF -Map"],
    ["ld ld.lld ld.gold", "-Map --Map -M"],
    ["wget", "save-cookies rejected-log warc-file hsts-file"],
    ["less", "LOG-FILE log-file"],
    ["ssh", "E"],
    ["rsync", "log-file write-batch only-write-batch backup-dir"],
    ["psql", "o output L log-file"],
    ["mysql mariadb", "tee"],
    ["pg_dump pg_dumpall pg_restore", "f file"],
    ["mysqldump mariadb-dump", "r result-file T tab"],
    ["cpio pax", "F file f"],
    ["logrotate", "s state l log"],
    ["node", "redirect-warnings report-dir report-directory cpu-prof-dir diagnostic-dir"],
    ["deno", "coverage cpu-prof-dir"],
    ["npm pnpm", "pack-destination"],
    ["script", "O log-out I log-in B log-io T log-timing"],
  ] as const).flatMap(([names, options]) =>
    names.split(" ").map((name) => [name, options.split(" ")] as const)
  ),
);

/** Programs in which these letters mean something else. */
export const NO_OUTPUT_OPTIONS: ReadonlySet<string> = new Set(
  ("grep egrep fgrep zgrep rg ag ack ls ps ssh scp sftp mount umount find set test [ sudo su top lsblk findmnt id " +
    "netstat ss ip kubectl docker helm az gcloud aws psql mysql column lsof rsync awk gawk df nl od stat date bash sh " +
    "zsh dash ksh shopt read bind complete git pkill pgrep tree eza exa sed perl ruby python python3 node jq " +
    "wc diff cmp comm cat strings hexdump nm who w")
    .split(" "),
);

/** Options by which a program is told which key or setting to use; it does not show what is in there. */
export const IDENTITY_OPTIONS =
  /^--?(?:kubeconfig|netrc-file|cert|key|cacert|capath|private-key|identity|identity-file|ssh-key|key-?file|userconfig|credentials-file|ssh-privkey-file|known-hosts-file|tls-?(?:cert|key|ca)|client-(?:key|certificate)|certificate-authority)$/;

/** Programs whose `-i` names a key. */
export const IDENTITY_LETTER: ReadonlySet<string> = new Set(
  "ssh scp sftp ssh-copy-id mosh autossh sshfs".split(" "),
);

/** Programs for which a file of variables is an everyday argument. */
export const ENV_FILE_PROGRAMS: ReadonlySet<string> = new Set(
  "node bun deno uv docker-compose podman-compose tsx nodemon vite flask honcho foreman overmind"
    .split(" "),
);

/** Git commands that show or store what a file contains; others only name it. */
export const GIT_READS: ReadonlySet<string> = new Set(
  "add diff show blame annotate cat-file hash-object archive difftool apply am stage".split(" "),
);

/** Git commands that change nothing in the directory they run in. */
export const GIT_LOOKS: ReadonlySet<string> = new Set(
  ("status log diff show blame annotate branch tag remote rev-parse rev-list describe shortlog grep ls-files ls-tree " +
    "ls-remote cat-file reflog config var help version count-objects fsck for-each-ref check-ignore name-rev")
    .split(" "),
);

/** Interpreters and clients whose inline text may open files by name. */
export const READS_TEXT =
  /^(?:python|pypy|perl|ruby|node|nodejs|bun|deno|php|lua|rscript|osascript|julia|awk|gawk|mawk|nawk|tclsh|sqlite3|psql|mysql|duckdb|emacs|vim|vi|nvim|ex|gdb|bash|sh|zsh|dash|ksh|eval)[\d.]*$/;
