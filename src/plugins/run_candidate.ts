/**
 * `--plugin PATH|URL`: a plugin for one run. An address must be pinned (`#sha256=…`), known from
 * `plugins.lock`, or accepted by the person; a pinned one is fetched once and then kept.
 */
import type { Home } from "../config/home.ts";
import { UsageError } from "../protocol/error.ts";
import { resolvePath } from "../util/path.ts";
import { type Candidate, Discovery } from "./discover.ts";
import { keepPin, lockOf, readLock, readLocked, readPin } from "./lock.ts";
import type { LoadOptions } from "./open.ts";
import { type Address, fetchSource, isAddress, parseAddress, requirePinned } from "./remote.ts";
import { openSnapshot, type Snapshot, snapshotsOf } from "./snapshot.ts";
import { type PluginSource, readSource } from "./source.ts";

/** @throws {UsageError} when the address may not be used, {PluginProblem} when it is no plugin. */
export async function runCandidate(place: string, options: LoadOptions): Promise<Candidate> {
  const { settings: { home }, cwd } = options;
  const cache = snapshotsOf(home);
  if (!isAddress(place)) {
    const location = resolvePath(cwd, place);
    const source = readSource(location);
    const { manifest: { name: id } } = await openSnapshot(source, cache);
    // What was granted to the plugin of this name was granted to another one.
    const known = await new Discovery(home, cwd).find(id);
    const foreign = known !== undefined && known.location !== location;
    return { id, origin: "path", location, foreign, read: () => Promise.resolve(source) };
  }
  const address = parseAddress(place);
  const { source, from } = await findSource(home, address);
  const snapshot = await openSnapshot(source, cache);
  requirePinned(address, snapshot.hash);
  const candidate: Candidate = {
    id: snapshot.manifest.name,
    origin: "url",
    location: address.url,
    foreign: from !== "lock",
    read: () => Promise.resolve(source),
  };
  if (from !== "network") return candidate;
  if (address.pin === undefined) await requireAccepted(candidate, { snapshot, options });
  const { version } = snapshot.manifest;
  await keepPin(home, { source, locked: await lockOf(source, { url: address.url, version }) });
  return candidate;
}

interface FoundSource {
  source: PluginSource;
  from: "lock" | "cache" | "network";
}

async function findSource(home: Home, { url, pin }: Address): Promise<FoundSource> {
  const installed = Object.entries(await readLock(home)).find(([, { record, sealed }]) =>
    sealed && record.url === url && (pin === undefined || pin === record.sha256)
  );
  if (installed !== undefined) {
    const [name, { record: locked }] = installed;
    return { source: await readLocked(home, { name, locked }), from: "lock" };
  }
  const kept = pin === undefined ? undefined : await readPin(home, pin);
  if (kept !== undefined) return { source: kept, from: "cache" };
  return { source: await fetchSource(url), from: "network" };
}

async function requireAccepted(
  candidate: Candidate,
  { snapshot, options }: { snapshot: Snapshot; options: LoadOptions },
): Promise<void> {
  if (options.acceptUnpinned || await options.confirm?.(candidate, snapshot)) return;
  const { location: url } = candidate;
  throw new UsageError(`--plugin ${url} is not pinned`, {
    hint: `Look at it, then use ${url}#sha256=${snapshot.hash} or --accept-plugins.`,
  });
}
