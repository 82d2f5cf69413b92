/**
 * `--plugin PATH|URL`: a plugin for one run. An address must be pinned (`#sha256=…`), known from
 * `plugins.lock`, or accepted by somebody; a pinned one is fetched once and then kept.
 */
import { UsageError } from "../protocol/error.ts";
import { resolvePath } from "../util/path.ts";
import type { Candidate } from "./discover.ts";
import { keepFiles, keepPin, lockOf, readLock, readLocked, readPin } from "./lock.ts";
import type { LoadOptions } from "./open.ts";
import { fetchSource, isAddress } from "./remote.ts";
import { openSnapshot, type Snapshot, snapshotDir } from "./snapshot.ts";
import { type PluginSource, readSource } from "./source.ts";

/** @throws {UsageError} when the address may not be used, {PluginProblem} when it is no plugin. */
export async function runCandidate(place: string, options: LoadOptions): Promise<Candidate> {
  const { settings, cwd } = options;
  if (!isAddress(place)) {
    const location = resolvePath(cwd, place);
    return await candidateOf(readSource(location), { origin: "path", location, settings });
  }
  const [url = "", pin] = place.split("#sha256=");
  const known = pin === undefined
    ? Object.values(readLock(settings.home)).find((locked) => locked.url === url)
    : await readPin(settings.home, pin);
  const source = known
    ? await readLocked(settings.home, { name: url, locked: known })
    : await fetchSource(url);
  const candidate = await candidateOf(source, { origin: "url", location: url, settings });
  if (known === undefined) await requireAccepted(candidate, { url, pin, options });
  return candidate;
}

type Known = Candidate & { snapshot: Snapshot };

async function candidateOf(
  source: PluginSource,
  facts: Pick<Candidate, "origin" | "location"> & Pick<LoadOptions, "settings">,
): Promise<Known> {
  const { origin, location, settings } = facts;
  const snapshot = await openSnapshot(source, snapshotDir(settings.home));
  const read = () => Promise.resolve(source);
  return { id: snapshot.manifest.name, origin, location, read, snapshot };
}

async function requireAccepted(
  candidate: Known,
  { url, pin, options }: { url: string; pin: string | undefined; options: LoadOptions },
): Promise<void> {
  const { hash, manifest } = candidate.snapshot;
  if (pin !== undefined && pin.toLowerCase() !== hash) {
    throw new UsageError(`${url} is not the pinned plugin: its sha256 is ${hash}`, {
      hint: "Find out what has changed before you use it.",
    });
  }
  const accepted = pin !== undefined || options.acceptUnpinned ||
    await options.confirm?.(candidate, candidate.snapshot);
  if (!accepted) {
    throw new UsageError(`--plugin ${url} is not pinned`, {
      hint: `Look at it, then use ${url}#sha256=${hash} or --accept-plugins.`,
    });
  }
  const source = await candidate.read();
  const { home } = options.settings;
  await keepFiles(home, source);
  await keepPin(home, await lockOf(source, { url, version: manifest.version }));
}
