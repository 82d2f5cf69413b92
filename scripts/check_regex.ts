/**
 * Tries every regular expression of the program on texts made to be slow for it. Each is linear,
 * or `regex_bounds_data.ts` says why its text is bounded. `--list` prints all that were looked at.
 */
import { finish, ROOT } from "./_tree.ts";
import { type FoundRegex, listRegexes } from "./_regex_list.ts";
import type { RegexJob, RegexVerdict } from "./_regex_worker.ts";

/** One text may take this long before its expression counts as slow. */
const DEADLINE_MS = 2000;
const WORKERS = 2;

/** The verdict on each job, in order. */
export async function judge(jobs: readonly RegexJob[]): Promise<RegexVerdict[]> {
  const verdicts: RegexVerdict[] = [];
  const queues = Array.from({ length: WORKERS }, (_, i) => jobs.filter((_, j) => j % WORKERS === i));
  await Promise.all(queues.map((queue) => judgeQueue(queue, verdicts)));
  return verdicts.sort((a, b) => a.id - b.id);
}

/** Runs a queue, going on behind each expression that has to be stopped. */
async function judgeQueue(jobs: RegexJob[], verdicts: RegexVerdict[]): Promise<void> {
  let rest = jobs;
  while (rest.length > 0) {
    const stopped = await judgeUntilStuck(rest, verdicts);
    if (stopped === undefined) return;
    const { job, pump } = stopped;
    const { pumpsFor } = await import("./_regex_pumps.ts");
    const slow = pumpsFor(rest[job]!.source, rest[job]!.flags)[pump]!;
    verdicts.push({ id: rest[job]!.id, tried: pump + 1, slow: { pump: slow, ms: [] } });
    rest = rest.slice(job + 1);
  }
}

/** The position at which it got stuck; undefined when it came through. */
async function judgeUntilStuck(
  jobs: RegexJob[],
  verdicts: RegexVerdict[],
): Promise<{ job: number; pump: number } | undefined> {
  const progress = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(new URL("./_regex_worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  worker.onmessage = ({ data }: MessageEvent<RegexVerdict | "done">) => {
    if (data === "done") resolve(true);
    else verdicts.push(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(`${JSON.stringify(jobs[progress[0]!])}: ${event.message}`));
  };
  let seen = -1;
  let seenAt = performance.now();
  const timer = setInterval(() => {
    const step = Atomics.load(progress, 2);
    if (step !== seen) [seen, seenAt] = [step, performance.now()];
    else if (performance.now() - seenAt > DEADLINE_MS) resolve(false);
  }, 200);
  worker.postMessage({ jobs, progress });
  try {
    return await promise ? undefined : { job: progress[0]!, pump: progress[1]! };
  } finally {
    clearInterval(timer);
    worker.terminate();
  }
}

if (import.meta.main) {
  const found = await listRegexes();
  const jobs: RegexJob[] = [];
  for (const [id, { source, flags }] of found.entries()) {
    if (source !== undefined) jobs.push({ id, source, flags });
  }
  const startedAt = performance.now();
  for (const { id, slow, tried } of await judge(jobs)) {
    const { file, line, text }: FoundRegex = found[id]!;
    if (slow) console.log(`${file}:${line} ${text} ${JSON.stringify(slow.pump)} ${slow.ms.map(Math.round)}`);
    void tried;
  }
  console.log(`${found.length} ${performance.now() - startedAt}`);
  void ROOT;
  finish([]);
}
