/**
 * `--record` and `--replay` as the session sees them: where requests go, and a clock that makes
 * a replay give the same bytes every time.
 */
import { UsageError } from "../protocol/error.ts";
import type { RouteFetch } from "../providers/route.ts";
import { Seal, SEAL_KEY_FILE } from "../util/seal.ts";
import type { EventClock } from "./session_deps.ts";

export interface Cassette {
  mode: "live" | "record" | "replay";
  /** Absent: the network. */
  wireFetch?: RouteFetch;
  clock: EventClock;
  /** Fixed for replays, so that events carry the same id. */
  sessionId?: string;
  /** False for a recording that may come from another person: what it says approves nothing. */
  mayApprove(): Promise<boolean>;
  close(): Promise<void>;
}

const REPLAY_EPOCH_MS = Date.UTC(2000, 0, 1);
const REPLAY_ID = "0".repeat(26);

export interface CassetteOptions {
  record?: string;
  replay?: string;
  cwd: string;
  settings: { home: { dir: string; root: string } };
  /** What time it is; default the machine's. */
  now?: () => Date;
}

/** Opens what the flags name. @throws {UsageError} when the file cannot be used. */
export async function openCassette(options: CassetteOptions): Promise<Cassette> {
  const { record, replay } = options;
  if (record !== undefined && replay !== undefined) {
    throw new UsageError("--record and --replay cannot be used together");
  }
  const { now = () => new Date() } = options;
  const mayApprove = () => Promise.resolve(true);
  const clock: EventClock = { now, duration: (ms) => ms };
  if (record === undefined && replay === undefined) {
    return { mode: "live", clock, mayApprove, close: () => Promise.resolve() };
  }
  const { createRecorder, createReplayer } = await import("../providers/cassette.ts");
  const normalize = createNormalizer(options);
  const seal = new Seal(`${options.settings.home.root}/${SEAL_KEY_FILE}`);
  if (record !== undefined) {
    const { networkFetch } = await import("../providers/wire_fetch.ts");
    const recorder = await createRecorder(record, networkFetch, { normalize, seal });
    let closing: Promise<void> | undefined;
    const close = () => closing ??= recorder.close();
    return { mode: "record", wireFetch: recorder.fetch, clock, mayApprove, close };
  }
  const wireFetch = await createReplayer(replay!, { normalize, seal });
  let ticks = 0;
  return {
    mode: "replay",
    wireFetch,
    mayApprove: () => wireFetch.isOwn(),
    clock: { now: () => new Date(REPLAY_EPOCH_MS + ticks++), duration: () => 0 },
    sessionId: REPLAY_ID,
    close: () => Promise.resolve(),
  };
}

/** Replaces what differs between machines and days by names, in requests only. */
function createNormalizer(options: CassetteOptions): (text: string) => string {
  const places: [string, string][] = [[options.settings.home.dir, "{{home}}"], [
    options.cwd,
    "{{cwd}}",
  ]];
  places.sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let out = text;
    for (const [path, name] of places) {
      if (path.length > 1) out = out.replaceAll(JSON.stringify(path).slice(1, -1), name);
    }
    return out.replaceAll(/Date: \d{4}-\d\d-\d\d/g, "Date: {{date}}");
  };
}
