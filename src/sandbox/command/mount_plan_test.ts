import { deepEqual, ok } from "node:assert/strict";
import { MemoryDisk } from "../../../tests/support/memory_disk.ts";
import type { Step, StepArgument } from "../../process/launcher/launcher_image.ts";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { type MountFacts, mountSteps, placesOfView } from "./mount_plan.ts";

const OWN = "/tmp/own/tmp";
const DISK = [
  "/dev/shm/",
  "/dev/pts/",
  "/home/me/project/.git/hooks/",
  "/home/me/.ssh/id",
  "/home/me/.netrc",
  "/home/other/file",
  "/run/",
  `${OWN}/`,
  "/var/tmp/",
];

const POLICY: SandboxPolicy = {
  mode: "workspace-write",
  network: "on",
  workspace: ["/home/me/project"],
  writable: [OWN],
  hidden: [],
  readable: [],
  env: {},
  limits: { processes: 0, memoryBytes: 0 },
  own: [],
};

function steps(
  policy: Partial<SandboxPolicy>,
  { disk = DISK, ...facts }: Partial<Omit<MountFacts, "policy" | "disk">> & { disk?: string[] } =
    {},
): Step[] {
  return mountSteps({
    policy: { ...POLICY, ...policy },
    disk: new MemoryDisk(disk),
    empty: { directory: "/tmp/own/empty", file: "/tmp/own/none" },
    kept: [],
    mounted: [],
    others: [],
    ownTerminals: false,
    ...facts,
  });
}

/** The steps in words. */
function words(list: readonly Step[]): string[] {
  return list.map(({ call, args, orElse }) => {
    const optional = "skip" in orElse ? "try " : "";
    if (call === "mount") {
      const [source, target, type, flags, data] = args;
      const what = type === 0 ? `bind ${text(source!)}` : `${text(type!)} ${text(data!)}`;
      return `${optional}${flags === 0x84000 ? "slave" : what} at ${text(target!)}`;
    }
    if (call === "mount_setattr") {
      const set = (args[3] as Uint8Array)[0] === 1 ? "read-only" : "changeable";
      return `${optional}${set}${args[2] === 0x8000 ? " below" : ""} ${text(args[1]!)}`;
    }
    if (call === "mkdirat") return `${optional}mkdir ${text(args[1]!)}`;
    if (call === "openat") {
      return `${args[2] === 0o100 ? "make" : "open"} ${text(args[1]!)}`;
    }
    return `${optional}${call} ${args.join(" ")}`;
  });
}

function text(argument: StepArgument): string {
  return argument instanceof Uint8Array
    ? new TextDecoder().decode(argument.subarray(0, -1))
    : String(argument);
}

/** What is hidden, and how: the steps between those that every plan has. */
function hiding(policy: Partial<SandboxPolicy>, facts: Parameters<typeof steps>[1] = {}): string[] {
  const all = words(steps(policy, facts));
  return all.slice(all.indexOf("open /tmp/own/none") + 1, all.indexOf("close 4"));
}

/** `/tmp` and `/var/tmp` come first or last; a test about another place leaves them out. */
function withoutTemporary(lines: readonly string[]): string[] {
  const from = lines.indexOf("open /tmp");
  const left = from < 0 ? lines : lines.toSpliced(from, lines.indexOf("close 5", from) - from + 1);
  return left.filter((line) => !line.endsWith("/var/tmp"));
}

Deno.test("mountSteps() makes everything read-only, then opens what commands change", () => {
  deepEqual(
    words(steps({}, { disk: [...DISK, "/home/me/project/data/"] })).slice(-8),
    [
      "close 3",
      "tmpfs mode=1777 at /dev/shm",
      "bind /home/me/project at /home/me/project",
      `bind ${OWN} at ${OWN}`,
      "bind /dev/shm at /dev/shm",
      "read-only below /",
      ...["try changeable /home/me/project", `try changeable ${OWN}`, "try changeable /dev/shm"],
    ].slice(-8),
  );
  const [first] = words(steps({}));
  deepEqual(first, "slave at /", "what is unmounted outside does not stay here");
});

Deno.test("mountSteps() opens no work in read-only", () => {
  const all = words(steps({ mode: "read-only" }));
  ok(!all.some((line) => line.includes("changeable /home/me/project")));
  ok(all.includes(`try changeable ${OWN}`));
});

Deno.test("mountSteps() puts something empty over what is hidden", () => {
  const hidden = ["/home/me/.ssh", "/home/me/.netrc", "/home/me/.gone"];
  deepEqual(withoutTemporary(hiding({ hidden })), [
    "bind /proc/self/fd/3 at /home/me/.ssh",
    "bind /proc/self/fd/4 at /home/me/.netrc",
  ]);
});

Deno.test("mountSteps() keeps what is open below a hidden directory, and what is hidden in that", () => {
  const readable = ["/home/me"];
  const hidden = ["/home", "/home/other", "/home/me/.ssh"];
  deepEqual(withoutTemporary(hiding({ hidden, readable })), [
    "open /home",
    "tmpfs mode=755,size=64k at /home",
    "mkdir /home/me",
    "bind /proc/self/fd/5/me at /home/me",
    "close 5",
    // `/home/other` has gone with `/home`.
    "bind /proc/self/fd/3 at /home/me/.ssh",
  ]);
});

Deno.test("mountSteps() makes the directories and files that open places need", () => {
  const readable = ["/run/systemd/resolve/resolv.conf", "/run/systemd/other", "/run/gone"];
  const disk = [...DISK, "/run/systemd/resolve/resolv.conf", "/run/systemd/other/", "/run/user/1/"];
  const hidden = ["/run", "/run/user/1", "/run/systemd", "/var/run"];
  deepEqual(
    withoutTemporary(hiding({ hidden, readable }, { disk: [...disk, "/var/run -> /run"] })),
    [
      "open /run",
      "tmpfs mode=755,size=64k at /run",
      "mkdir /run/systemd",
      "mkdir /run/systemd/resolve",
      "make /run/systemd/resolve/resolv.conf",
      "close 6",
      "bind /proc/self/fd/5/systemd/resolve/resolv.conf at /run/systemd/resolve/resolv.conf",
      "mkdir /run/systemd/other",
      "bind /proc/self/fd/5/systemd/other at /run/systemd/other",
      "close 5",
      // Neither what has gone with `/run`, nor a link that would cover it once more.
    ],
  );
});

Deno.test("mountSteps() shows of a temporary directory what is there now, but no sockets", () => {
  const disk = [
    ...DISK,
    ...[
      "/tmp/notes.txt",
      "/tmp/dir/x",
      "/tmp/link -> /etc",
      "/tmp/x.sock =",
      "/tmp/tmux-1/default",
    ],
    "/tmp/hermes-env-1-a/1",
  ];
  deepEqual(hiding({}, { disk }), [
    "open /tmp",
    "tmpfs mode=755,size=64k at /tmp",
    "mkdir /tmp/own",
    "try bind /proc/self/fd/5/own at /tmp/own",
    "make /tmp/notes.txt",
    "close 6",
    "try bind /proc/self/fd/5/notes.txt at /tmp/notes.txt",
    "mkdir /tmp/dir",
    "try bind /proc/self/fd/5/dir at /tmp/dir",
    "close 5",
    "bind /proc/self/fd/3 at /var/tmp",
  ]);
});

Deno.test("mountSteps() shows of a crowded temporary directory what holds open places", () => {
  const many = Array.from({ length: 300 }, (_, i) => `/tmp/file-${i}`);
  const lines = hiding({ workspace: ["/tmp/work/project"] }, {
    disk: [...DISK, ...many, "/tmp/work/project/"],
  });
  deepEqual(lines.filter((line) => line.includes("bind /proc/self/fd/5")), [
    "try bind /proc/self/fd/5/work at /tmp/work",
    "try bind /proc/self/fd/5/own at /tmp/own",
  ]);
});

Deno.test("mountSteps() leaves a temporary directory alone that commands may change as a whole", () => {
  const lines = hiding({ writable: ["/tmp"] });
  ok(!lines.some((line) => line.endsWith(" at /tmp")), lines.join("\n"));
});

Deno.test("mountSteps() hides sockets of others, which may go meanwhile, and none of the work's", () => {
  const disk = [...DISK, "/srv/s.sock =", "/home/me/project/own.sock =", "/tmp/t.sock ="];
  const others = ["/srv/s.sock", "/home/me/project/own.sock", "/tmp/t.sock", "/gone.sock"];
  const lines = hiding({}, { disk, others }).filter((line) => line.includes("sock"));
  deepEqual(lines, ["try bind /proc/self/fd/4 at /srv/s.sock"]);
});

Deno.test("mountSteps() opens mounts below the work, and none that is hidden or elsewhere", () => {
  const mounted = ["/", "/home/me/project/data", "/home/me/other"];
  const disk = [...DISK, "/home/me/project/data/", "/home/me/other/"];
  const lines = words(steps({}, { disk, mounted })).filter((line) => line.includes("changeable"));
  deepEqual(lines, [
    "try changeable /home/me/project",
    `try changeable ${OWN}`,
    "try changeable /dev/shm",
    "try changeable /home/me/project/data",
  ]);
});

Deno.test("mountSteps() keeps directories in the work as they are, and what is only read there", () => {
  const kept = ["/home/me/project/.git/hooks", "/home/me/project/.hermes"];
  const disk = [...DISK, "/home/me/project/vendor/"];
  const lines = words(steps({ readable: ["/home/me/project/vendor"] }, { disk, kept }));
  deepEqual(lines.slice(lines.indexOf("try changeable /dev/shm") + 1), [
    "bind /home/me/project/vendor at /home/me/project/vendor",
    "read-only below /home/me/project/vendor",
    "bind /home/me/project/.git/hooks at /home/me/project/.git/hooks",
    "read-only below /home/me/project/.git/hooks",
  ]);
});

Deno.test("mountSteps() makes terminals of the view's own", () => {
  const lines = words(steps({}, { ownTerminals: true }));
  ok(lines.includes("devpts newinstance,ptmxmode=0666,mode=620 at /dev/pts"));
  ok(lines.includes("bind /dev/pts/ptmx at /dev/ptmx"));
  ok(lines.includes("try changeable /dev/pts"));
});

Deno.test("placesOfView() names what Landlock cannot be told of from outside", () => {
  const paths = (disk: string[], ownTerminals: boolean) =>
    placesOfView({ disk: new MemoryDisk(disk), ownTerminals }).map(({ path }) => path);
  deepEqual(paths(DISK, true), ["/dev/shm", "/dev/pts", "/dev/ptmx"]);
  deepEqual(paths(DISK, false), ["/dev/shm"]);
  deepEqual(paths(["/dev/shm -> /run/shm", "/run/shm/"], false), []);
});
