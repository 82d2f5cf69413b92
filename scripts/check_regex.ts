/**
 * Holds every regular expression of the program to linear time: each is tried on texts made to be
 * slow for it, and one whose steps grow faster than the text needs a reason in
 * `regex_bounds_data.ts`. `--list` prints all that were looked at, with the time of the worst text.
 */
import { regexesBuiltBy } from "./_regex_built.ts";
import { type Growth, growthOf } from "./_regex_growth.ts";
import { type FoundRegex, listRegexes } from "./_regex_list.ts";
import { pumpText } from "./_regex_pumps.ts";
import { finish } from "./_tree.ts";
import { BOUNDED, type BoundedRegex, BUILT, type BuiltRegex } from "./regex_bounds_data.ts";

export interface RegexReport {
  /** Where it is and how it is written. */
  place: string;
  source: string;
  flags: string;
  growth: Growth;
  /** Why it may be slow. */
  why?: string;
}

export interface RegexAudit {
  reports: RegexReport[];
  problems: string[];
}

/** Looks at all of `found`, and at what the listed modules build when loaded. */
export async function auditRegexes(
  found: readonly FoundRegex[],
  data: { bounded: readonly BoundedRegex[]; built: readonly BuiltRegex[] },
): Promise<RegexAudit> {
  const reports: RegexReport[] = [];
  const problems: string[] = [];
  const used = new Set<BoundedRegex | BuiltRegex>();
  const builders = new Set<string>();
  for (const regex of found) {
    const place = `${regex.file}:${regex.line}`;
    if (regex.source !== undefined) {
      const { source, flags } = regex;
      const reason = data.bounded.find((row) => row.file === regex.file && row.source === source);
      if (reason) used.add(reason);
      reports.push(report({ place, source, flags, why: reason?.why }));
      continue;
    }
    const reason = data.built.find((row) =>
      row.file === regex.file && regex.text.startsWith(row.text)
    );
    if (reason === undefined) {
      problems.push(
        `${place}: ${regex.text.slice(0, 80)} is built at run time: say why it is safe`,
      );
      continue;
    }
    used.add(reason);
    builders.add(regex.file);
    for (const source of reason.samples ?? []) {
      reports.push(report({ place, source, flags: regex.flags }));
    }
  }
  for (const [file, regexes] of await regexesBuiltBy(builders)) {
    for (const regex of regexes) reports.push(report({ place: `${file} (built)`, ...regex }));
  }
  for (const { place, source, growth, why } of reports) {
    if (growth.slow && why === undefined) problems.push(slowLine(place, source, growth));
  }
  for (const row of [...data.bounded, ...data.built]) {
    if (!used.has(row)) problems.push(`${row.file}: has no expression for "${row.why}" any more`);
  }
  return { reports, problems };
}

function report(
  { place, source, flags, why }: {
    place: string;
    source: string;
    flags: string;
    why?: string | undefined;
  },
): RegexReport {
  const growth = growthOf(source, flags);
  return { place, source, flags, growth, ...(why === undefined ? {} : { why }) };
}

function slowLine(place: string, source: string, { slow }: Growth): string {
  const { pump, steps } = slow!;
  const text = `${JSON.stringify(pump.prefix)} + ${JSON.stringify(pump.pump)} again and again + ` +
    JSON.stringify(pump.suffix);
  return `${place}: /${source.slice(0, 120)}/ is not linear: ${steps.join(", ")} steps on ${text}`;
}

const TIMED_CHARS = 40_000;

function listLine({ place, source, flags, growth, why }: RegexReport): string {
  const verdict = why !== undefined
    ? `bounded: ${why}`
    : growth.worst === undefined
    ? "repeats nothing"
    : `linear, ${timeOf(source, flags, pumpText(growth.worst, TIMED_CHARS)).toFixed(1)} ms`;
  return `${place}\t/${source.slice(0, 100)}/${flags}\t${growth.tried} texts\t${verdict}`;
}

/** Milliseconds that the real engine takes to find every match. */
function timeOf(source: string, flags: string, text: string): number {
  const regex = new RegExp(source, `${flags.replace(/[gy]/g, "")}g`);
  const startedAt = performance.now();
  text.replace(regex, "");
  return performance.now() - startedAt;
}

if (import.meta.main) {
  const found = await listRegexes();
  const { reports, problems } = await auditRegexes(found, { bounded: BOUNDED, built: BUILT });
  if (Deno.args.includes("--list")) {
    for (const row of reports) console.log(listLine(row));
    const texts = reports.reduce((sum, { growth }) => sum + growth.tried, 0);
    const bounded = reports.filter(({ why }) => why !== undefined).length;
    console.log(`${reports.length} expressions, ${texts} texts, ${bounded} bounded by their input`);
  }
  finish(problems);
}
