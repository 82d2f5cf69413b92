/**
 * The view of the file system that commands get where the system lets hermes make one: everything
 * read-only but what a policy lets commands change, hidden places empty. A list of system calls
 * for a launcher; says nothing about who runs it.
 */
import { must, type Step, type StepArgument } from "../../process/launcher/launcher_image.ts";
import { AT_FDCWD, cString } from "../../process/launcher/libc.ts";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { dirname, isWithin, relativePath } from "../../util/path.ts";
import type { PathGrant } from "../walls/landlock.ts";
import type { PolicyDisk } from "./disk.ts";
import { isHiddenName } from "./hidden_names.ts";

export interface MountFacts {
  policy: SandboxPolicy;
  disk: PolicyDisk;
  /** An empty directory and an empty file that stand for what is hidden. */
  empty: { directory: string; file: string };
  /** Directories that stay as they are although the work around them changes. */
  kept: readonly string[];
  /** Where something is mounted, and may be changed there. */
  mounted: readonly string[];
  /** Sockets and terminals of others, as they are now: out of sight as well. */
  others: readonly string[];
  /** Terminals are made and found in the view alone. */
  ownTerminals: boolean;
}

const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MS_SLAVE = 0x80000;
const MS_NOSUID_NODEV = 0x6;
const MS_NOSUID_NOEXEC = 0xa;
const AT_RECURSIVE = 0x8000;
const O_PATH_CLOEXEC = 0o12000000;
const O_CREAT = 0o100;
/** `struct mount_attr`: attributes to set, to clear, how changes spread, a user namespace. */
const READ_ONLY = new Uint8Array(new BigUint64Array([1n, 0n, 0n, 0n]).buffer);
const CHANGEABLE = new Uint8Array(new BigUint64Array([0n, 1n, 0n, 0n]).buffer);
const ATTRIBUTE_BYTES = 32;
/** The first descriptors behind the standard ones: what stands for hidden places, and what had been there. */
const EMPTY_DIRECTORY = 3;
const EMPTY_FILE = 4;
const REPLACED = 5;

/** Everybody puts files and sockets there: what appears later stays out of sight. */
const TEMPORARY: readonly string[] = ["/tmp", "/var/tmp"];
/** More entries of a temporary directory are not put into the view one by one. */
const MAX_ENTRIES = 256;
const SHARED_MEMORY = "/dev/shm";
const TERMINALS = "/dev/pts";
const NEW_TERMINAL = "/dev/ptmx";

/** What only the view has: Landlock must be told of it from the inside. */
export function placesOfView(
  { disk, ownTerminals }: Pick<MountFacts, "disk" | "ownTerminals">,
): PathGrant[] {
  const places: PathGrant[] = [];
  if (hasSharedMemory(disk)) places.push({ path: SHARED_MEMORY, access: "tree-work" });
  if (ownTerminals) {
    places.push({ path: TERMINALS, access: "tree-work" });
    places.push({ path: NEW_TERMINAL, access: "file-work" });
  }
  return places;
}

/** The steps inside a mount namespace of its own. */
export function mountSteps(facts: MountFacts): Step[] {
  const { policy } = facts;
  const writable = writablePlaces(policy).filter((path) => facts.disk.kind(path) !== undefined);
  const mounted = facts.mounted.filter((path) => writable.some((one) => isWithin(path, one)));
  const changed = new Set([...writable, ...mounted, ...facts.ownTerminals ? [TERMINALS] : []]);
  return [
    // What is unmounted outside is given back here as well, or a disk could not be taken out.
    mount("none", "/", MS_REC | MS_SLAVE),
    must("openat", AT_FDCWD, cString(facts.empty.directory), O_PATH_CLOEXEC),
    must("openat", AT_FDCWD, cString(facts.empty.file), O_PATH_CLOEXEC),
    ...hidingSteps(facts),
    must("close", EMPTY_FILE),
    must("close", EMPTY_DIRECTORY),
    ...deviceSteps(facts),
    ...writable.map((path) => mount(path, path, MS_BIND | MS_REC)),
    attributes("/", READ_ONLY, AT_RECURSIVE),
    // A file system that is read-only for everybody stays so.
    ...[...changed].map((path) => optional(attributes(path, CHANGEABLE, 0))),
    ...keptPlaces(facts, writable).flatMap((path) => [
      mount(path, path, MS_BIND | MS_REC),
      attributes(path, READ_ONLY, AT_RECURSIVE),
    ]),
  ];
}

function hasSharedMemory(disk: PolicyDisk): boolean {
  return disk.kind(SHARED_MEMORY) === "directory" && disk.real(SHARED_MEMORY) === SHARED_MEMORY;
}

/** Memory and terminals that programs of the session share with each other alone. */
function deviceSteps({ disk, ownTerminals }: MountFacts): Step[] {
  return [
    ...hasSharedMemory(disk) ? [newFiles(SHARED_MEMORY, "mode=1777")] : [],
    ...ownTerminals
      ? [
        must(
          "mount",
          cString("none"),
          cString(TERMINALS),
          cString("devpts"),
          MS_NOSUID_NOEXEC,
          cString("newinstance,ptmxmode=0666,mode=620"),
        ),
        mount(`${TERMINALS}/ptmx`, NEW_TERMINAL, MS_BIND),
      ]
      : [],
  ];
}

/** What stays as it is inside what commands change. */
function keptPlaces({ policy, disk, kept }: MountFacts, writable: readonly string[]): string[] {
  const inside = policy.readable.filter((path) =>
    !writable.includes(path) && writable.some((root) => isWithin(path, root)) &&
    !policy.hidden.includes(path)
  );
  return [
    ...inside.filter((path) => disk.kind(path) !== undefined),
    ...kept.filter((path) => disk.kind(path) === "directory"),
  ];
}

/** Device files that commands write to need no place of their own: that is not a change of the disk. */
function writablePlaces(policy: SandboxPolicy): string[] {
  const work = policy.mode === "read-only" ? [] : policy.workspace;
  return [...new Set([...work, ...policy.writable, SHARED_MEMORY, "/dev/mqueue"])];
}

/** Shallow places first: what stays open below one is put back before deeper ones are hidden. */
function hidingSteps(facts: MountFacts): Step[] {
  const { policy, disk } = facts;
  const open = [...policy.readable, ...policy.workspace, ...writablePlaces(policy)];
  // What commands listen at in places that they change is theirs.
  const own = [...policy.workspace, ...policy.writable];
  const others = facts.others.filter((path) => !own.some((one) => isWithin(path, one)));
  const temporary = TEMPORARY.filter((path) =>
    disk.real(path) === path && !open.some((one) => isWithin(path, one))
  );
  // Mounting on a link would cover what it leads to; that has a name of its own in the list.
  const hidden = [...new Set([...policy.hidden, ...others, ...temporary])]
    .filter((path) => disk.kind(path) !== undefined && disk.real(path) === path)
    .toSorted((a, b) => a.length - b.length);
  const replaced: { place: string; below: readonly string[] }[] = [];
  const steps: Step[] = [];
  for (const place of hidden) {
    const isGone = replaced.some((one) =>
      isWithin(place, one.place) && !one.below.some((path) => isWithin(place, path))
    );
    if (isGone) continue;
    const kind = disk.kind(place);
    const entries = temporary.includes(place) ? visibleEntries(place, { open, hidden, disk }) : [];
    const below = topmost(
      [...open, ...entries].filter((path) => path !== place && isWithin(path, place)),
    ).filter((path) => disk.kind(path) !== undefined);
    // A socket or a terminal of somebody may go at any time.
    const hide = others.includes(place) ? optional : (step: Step) => step;
    if (kind !== "directory") steps.push(hide(mount(opened(EMPTY_FILE), place, MS_BIND)));
    else if (below.length === 0) steps.push(mount(opened(EMPTY_DIRECTORY), place, MS_BIND));
    else steps.push(...replaceDirectory(place, { below, entries, disk }));
    if (kind === "directory") replaced.push({ place, below });
  }
  return steps;
}

/** Files and directories of a temporary directory; of a crowded one those that hold `open` places. */
function visibleEntries(
  directory: string,
  { open, hidden, disk }: {
    open: readonly string[];
    hidden: readonly string[];
    disk: PolicyDisk;
  },
): string[] {
  const names = disk.list(directory);
  const paths = names === undefined || names.size > MAX_ENTRIES
    ? open.filter((path) => path !== directory && isWithin(path, directory))
      .map((path) => `${directory}/${relativePath(directory, path).split("/")[0]}`)
    : [...names].filter(([, kind]) => kind === "file" || kind === "directory")
      .map(([name]) => `${directory}/${name}`);
  return [...new Set(paths)].filter((path) => !hidden.includes(path) && !isHiddenName(path));
}

/**
 * An empty directory in the place of another, with some of what was below it. What it had is
 * reached through a descriptor; `entries` of it may have gone meanwhile.
 */
function replaceDirectory(
  place: string,
  { below, entries, disk }: {
    below: readonly string[];
    entries: readonly string[];
    disk: PolicyDisk;
  },
): Step[] {
  const made = new Set<string>();
  return [
    must("openat", AT_FDCWD, cString(place), O_PATH_CLOEXEC),
    newFiles(place, "mode=755,size=64k"),
    ...below.flatMap((path) => {
      const isDirectory = disk.kind(path) === "directory";
      const source = `${opened(REPLACED)}/${relativePath(place, path)}`;
      const bind = mount(source, path, MS_BIND | MS_REC);
      return [
        ...parentSteps(place, isDirectory ? path : dirname(path), made),
        ...isDirectory ? [] : makeFile(path, REPLACED + 1),
        entries.includes(path) ? optional(bind) : bind,
      ];
    }),
    must("close", REPLACED),
  ];
}

function parentSteps(place: string, path: string, made: Set<string>): Step[] {
  const steps: Step[] = [];
  let at = place;
  for (const part of relativePath(place, path).split("/")) {
    if (part === "" || part === ".") continue;
    at = `${at}/${part}`;
    if (made.has(at)) continue;
    made.add(at);
    steps.push(must("mkdirat", AT_FDCWD, cString(at), 0o755));
  }
  return steps;
}

function makeFile(path: string, descriptor: number): Step[] {
  return [
    must("openat", AT_FDCWD, cString(path), O_CREAT, 0o444),
    must("close", descriptor),
  ];
}

/** Of paths that hold each other, those that no other holds. */
function topmost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((one) => one !== path && isWithin(path, one)));
}

/** The path of what a descriptor holds. */
function opened(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** A file system in memory, empty. */
function newFiles(path: string, options: string): Step {
  const [none, type] = [cString("none"), cString("tmpfs")];
  return must("mount", none, cString(path), type, MS_NOSUID_NODEV, cString(options));
}

/** A step that may fail. */
function optional(step: Step): Step {
  return { ...step, orElse: { skip: 0 } };
}

function mount(source: string, target: string, flags: number): Step {
  return must("mount", cString(source), cString(target), 0, flags, 0 as StepArgument);
}

function attributes(path: string, attribute: Uint8Array, flags: number): Step {
  return must("mount_setattr", AT_FDCWD, cString(path), flags, attribute, ATTRIBUTE_BYTES);
}
