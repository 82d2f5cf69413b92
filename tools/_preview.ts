/**
 * Short pieces of long texts for people, and the words that results are summed up in. Cuts only
 * between lines: half a line may be half a secret that the patterns no longer recognise.
 */
import type { ToolContext } from "../src/protocol/tool.ts";

const MAX_CHARS = 4_000;
const HEAD_CHARS = 1_000;

/** The beginning and the end of a text that a program printed. Secrets go before it is cut. */
export function outputPreview(text: string, ctx: Pick<ToolContext, "redact">): string {
  if (text.length <= MAX_CHARS) return text;
  const lines = ctx.redact(text).split("\n");
  let [first, last] = [0, lines.length];
  let used = 0;
  while (first < last && used + lines[first]!.length < HEAD_CHARS) {
    used += lines[first++]!.length + 1;
  }
  used = 0;
  const room = MAX_CHARS - HEAD_CHARS;
  while (last > first && used + lines[last - 1]!.length < room) used += lines[--last]!.length + 1;
  if (first === last) return lines.join("\n");
  const left = `… ${counted(last - first, "line")} left out …`;
  return [...lines.slice(0, first), left, ...lines.slice(last)].join("\n");
}

/** As many whole lines from the beginning as fit. The text must be free of secrets. */
export function beginning(text: string, maxChars = MAX_CHARS): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf("\n", maxChars);
  return `${text.slice(0, Math.max(0, end))}\n…`;
}

/** `1 line`, `2 lines`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;
}

/** The first line and how many follow. */
export function firstLine(text: string): string {
  const lines = text.trim().split("\n");
  return lines.length === 1 ? lines[0]! : `${lines[0]} (+${counted(lines.length - 1, "line")})`;
}

/** The parts that say something, with a dot between them. */
export function joined(...parts: (string | undefined | false)[]): string {
  return parts.filter((part) => part).join(" · ");
}

/** Added and removed lines of a unified diff. */
export function diffCounts(diff: string): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const line of diff.split("\n")) {
    if (/^(?:\+\+\+|---) /.test(line)) continue;
    if (line.startsWith("+")) added++;
    else if (line.startsWith("-")) removed++;
  }
  return { added, removed };
}
