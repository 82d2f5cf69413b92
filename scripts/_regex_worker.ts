/**
 * Measures expressions one after the other in a thread that `check_regex.ts` can end: a slow one
 * does not come back. Says where it is in shared memory before each text.
 */
import { type Pump, pumpsFor, pumpText } from "./_regex_pumps.ts";

/** Length of the texts that all expressions are tried on. */
const SCREEN_CHARS = 20_000;
/** A linear search of that many characters takes well under a millisecond. */
const SUSPECT_MS = 4;
/** Lengths whose times decide. */
const CONFIRM_CHARS = [5000, 10_000, 20_000];
/** Twice the text takes twice the time; four times as long is quadratic. */
const GROWTH = 2.9;

export interface RegexJob {
  id: number;
  source: string;
  flags: string;
}

export interface RegexVerdict {
  id: number;
  tried: number;
  slow?: { pump: Pump; ms: number[] };
}

interface Order {
  jobs: RegexJob[];
  /** Index of the job, and of its pump, that is running. */
  progress: Int32Array;
}

self.onmessage = ({ data }: MessageEvent<Order>) => {
  for (const [index, job] of data.jobs.entries()) {
    Atomics.store(data.progress, 0, index);
    self.postMessage(measure(job, data.progress) satisfies RegexVerdict);
  }
  self.postMessage("done");
};

function measure(job: RegexJob, progress: Int32Array): RegexVerdict {
  const flags = job.flags.replace("y", "");
  const regex = new RegExp(job.source, flags.includes("g") ? flags : `${flags}g`);
  const pumps = pumpsFor(job.source, job.flags);
  for (const [index, pump] of pumps.entries()) {
    Atomics.store(progress, 1, index);
    Atomics.add(progress, 2, 1);
    const text = pumpText(pump, SCREEN_CHARS);
    if (timeOf(regex, text) < SUSPECT_MS || timeOf(regex, text) < SUSPECT_MS) continue;
    const ms = CONFIRM_CHARS.map((length) => bestTime(regex, pumpText(pump, length)));
    if (ms[1]! / ms[0]! > GROWTH && ms[2]! / ms[1]! > GROWTH) {
      return { id: job.id, tried: index + 1, slow: { pump, ms } };
    }
  }
  return { id: job.id, tried: pumps.length };
}

function bestTime(regex: RegExp, text: string): number {
  return Math.min(timeOf(regex, text), timeOf(regex, text));
}

/** Finds every match: what a search, a split or a replacement of all costs. */
function timeOf(regex: RegExp, text: string): number {
  const startedAt = performance.now();
  regex.lastIndex = 0;
  let found = regex.exec(text);
  while (found !== null) {
    if (found[0] === "") regex.lastIndex++;
    found = regex.exec(text);
  }
  return performance.now() - startedAt;
}
