/** Saved sessions as lines for a terminal. Pure; whatever was stored is printed without escapes. */
import type { Message } from "../../../protocol/message.ts";
import type {
  SessionRecord,
  SessionSummary,
  StoredMessage,
  StoreStats,
} from "../../../store/record.ts";
import type { SearchHit } from "../../../store/search_index.ts";
import { cleanOutput } from "../../../util/clean_output.ts";
import { terminalText } from "../../../util/terminal_text.ts";
import { usageText } from "../../render/progress.ts";
import type { Style } from "../../render/style.ts";
import { oneLine } from "../../render/tool_line.ts";

/** One line per session: id, when, where it began, how long it is, what it is about. */
export function sessionLines(sessions: readonly SessionSummary[], style: Style): string[] {
  return sessions.map((session) => {
    const about = session.title ?? session.preview;
    const facts = [
      formatTime(session.updatedAt),
      oneLine(session.source).padEnd(5),
      counted(session.messageCount, "message").padStart(12),
    ].join("  ");
    return `${style.cyan(session.id)}  ${style.dim(facts)}  ${oneLine(about)}`;
  });
}

/** A whole session as a person reads it: a heading, then every message. */
export function transcriptLines(
  session: SessionRecord,
  messages: readonly StoredMessage[],
  options: { style: Style; usage: string },
): string[] {
  const { style } = options;
  const ended = session.endReason === undefined ? "" : `, ended: ${oneLine(session.endReason)}`;
  return [
    style.bold(oneLine(session.title ?? session.id)),
    style.dim(oneLine(`${session.id} · ${session.source} · ${session.provider}/${session.model}`)),
    style.dim(
      `${terminalText(session.cwd)} · ${formatTime(session.createdAt)}${ended} · ${options.usage}`,
    ),
    ...messages.flatMap(({ message }) => ["", ...messageLines(message, style)]),
  ];
}

function messageLines(message: Message, style: Style): string[] {
  if (message.role === "tool") {
    const mark = message.isError ? style.red("✗") : style.green("✓");
    return [`${mark} ${oneLine(message.name)} ${style.dim(oneLine(message.content))}`];
  }
  const heading = message.role === "user" ? style.cyan("user") : style.green("assistant");
  const lines = message.content.map((part) => {
    switch (part.type) {
      case "text":
        return readable(part.text);
      case "image":
        return style.dim(`[image ${oneLine(part.ref)}]`);
      case "reasoning":
        return style.dim(readable(part.text));
      case "tool_call":
        return `${style.yellow("→")} ${oneLine(part.name)} ${style.dim(oneLine(part.arguments))}`;
    }
  });
  return [heading, ...lines.filter((line) => line !== "")];
}

/** Stored text without the control characters that could change a terminal. */
function readable(text: string): string {
  return terminalText(cleanOutput(text));
}

/** Two lines per hit: where it is, what it says. */
export function hitLines(hits: readonly SearchHit[], style: Style): string[] {
  return hits.flatMap((hit) => {
    const title = hit.title === undefined ? "" : `  ${oneLine(hit.title)}`;
    const where = `${formatTime(hit.createdAt)}  ${hit.role}`;
    return [
      `${style.cyan(hit.sessionId)}  ${style.dim(where)}${title}`,
      `  ${readable(hit.snippet)}`,
    ];
  });
}

export function statsLines(stats: StoreStats): string[] {
  const sources = Object.entries(stats.sessionsBySource).map(([name, n]) => `${name} ${n}`);
  const perSource = sources.length === 0 ? "" : ` (${sources.join(", ")})`;
  const totals = `${counted(stats.sessions, "session")}${perSource}`;
  const lines = [`${totals}, ${counted(stats.messages, "message")}`];
  if (stats.oldestAt !== undefined && stats.newestAt !== undefined) {
    lines.push(`${formatTime(stats.oldestAt)} to ${formatTime(stats.newestAt)}`);
  }
  return [...lines, usageText(stats.usage), `${formatBytes(stats.bytes)} on disk`];
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `2025-03-01 14:05` in local time. */
function formatTime(atMs: number): string {
  const date = new Date(atMs);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
