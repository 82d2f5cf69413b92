/**
 * The view of the file system that commands get where the system lets hermes make one: everything
 * read-only but what a policy lets commands change, hidden places empty. A list of system calls
 * for a launcher; says nothing about who runs it.
 */
import { must, type Step, type StepArgument } from "../../process/launcher/launcher_image.ts";
import { AT_FDCWD, cString } from "../../process/launcher/libc.ts";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { dirname, isWithin, relativePath } from "../../util/path.ts";
import type { PolicyDisk } from "./disk.ts";

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
}

const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MS_PRIVATE = 0x40000;
const MS_NOSUID_NODEV = 0x6;
const AT_RECURSIVE = 0x8000;
const O_PATH_CLOEXEC = 0o12000000;
const O_CREAT = 0o100;
/** `struct mount_attr`: attributes to set, to clear, how changes spread, a user namespace. */
const READ_ONLY = new Uint8Array(new BigUint64Array([1n, 0n, 0n, 0n]).buffer);
const CHANGEABLE = new Uint8Array(new BigUint64Array([0n, 1n, 0n, 0n]).buffer);
const ATTRIBUTE_BYTES = 32;
/** The first descriptor behind the standard ones. */
const DESCRIPTOR = 3;

/** The steps inside a mount namespace of its own. */
export function mountSteps(facts: MountFacts): Step[] {
  const { policy } = facts;
  const writable = writablePlaces(policy).filter((path) => facts.disk.kind(path) !== undefined);
  const opened = facts.mounted.filter((path) => writable.some((one) => isWithin(path, one)));
  return [
    mount("none", "/", MS_REC | MS_PRIVATE),
    ...hidingSteps(facts),
    ...writable.map((path) => mount(path, path, MS_BIND | MS_REC)),
    attributes("/", READ_ONLY, AT_RECURSIVE),
    ...[...new Set([...writable, ...opened])].map((path) => ({
      ...attributes(path, CHANGEABLE, 0),
      // A file system that is read-only for everybody stays so.
      orElse: { skip: 0 },
    })),
    ...keptPlaces(facts, writable).flatMap((path) => [
      mount(path, path, MS_BIND | MS_REC),
      attributes(path, READ_ONLY, AT_RECURSIVE),
    ]),
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
  return [...new Set([...work, ...policy.writable, "/dev/shm", "/dev/mqueue"])];
}

/** Shallow places first: what stays open below one is put back before deeper ones are hidden. */
function hidingSteps(facts: MountFacts): Step[] {
  const { policy, disk } = facts;
  const open = [...policy.readable, ...policy.workspace, ...writablePlaces(policy)];
  // What commands listen at in places that they change is theirs.
  const own = [...policy.workspace, ...policy.writable];
  const others = facts.others.filter((path) => !own.some((one) => isWithin(path, one)));
  const gone: string[] = [];
  const steps: Step[] = [];
  const hidden = [...policy.hidden, ...others];
  for (const place of hidden.toSorted((a, b) => a.length - b.length)) {
    const kind = disk.kind(place);
    if (kind === undefined || gone.some((one) => isWithin(place, one))) continue;
    const below = topmost(open.filter((path) => path !== place && isWithin(path, place)))
      .filter((path) => disk.kind(path) !== undefined);
    if (kind !== "directory") steps.push(mount(facts.empty.file, place, MS_BIND));
    else if (below.length === 0) steps.push(mount(facts.empty.directory, place, MS_BIND));
    else steps.push(...replaceDirectory(place, below, disk));
    if (below.length === 0) gone.push(place);
  }
  return steps;
}

/** An empty directory in the place of another, with some of what was below it. */
function replaceDirectory(place: string, below: readonly string[], disk: PolicyDisk): Step[] {
  const made = new Set<string>();
  return [
    ...below.map((path) => must("openat", AT_FDCWD, cString(path), O_PATH_CLOEXEC)),
    must(
      "mount",
      cString("none"),
      cString(place),
      cString("tmpfs"),
      MS_NOSUID_NODEV,
      cString("mode=755,size=64k"),
    ),
    ...below.flatMap((path, i) => {
      const descriptor = DESCRIPTOR + i;
      const isDirectory = disk.kind(path) === "directory";
      return [
        ...parentSteps(place, isDirectory ? path : dirname(path), made),
        ...isDirectory ? [] : makeFile(path, DESCRIPTOR + below.length),
        mount(`/proc/self/fd/${descriptor}`, path, MS_BIND | MS_REC),
      ];
    }),
    ...below.map((_, i) => must("close", DESCRIPTOR + i)),
  ];
}

function parentSteps(place: string, path: string, made: Set<string>): Step[] {
  const steps: Step[] = [];
  let at = place;
  for (const part of relativePath(place, path).split("/")) {
    if (part === "") continue;
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

function mount(source: string, target: string, flags: number): Step {
  return must("mount", cString(source), cString(target), 0, flags, 0 as StepArgument);
}

function attributes(path: string, attribute: Uint8Array, flags: number): Step {
  return must("mount_setattr", AT_FDCWD, cString(path), flags, attribute, ATTRIBUTE_BYTES);
}
