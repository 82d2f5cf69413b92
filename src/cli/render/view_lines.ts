/**
 * What tools say about their results, as lines for a terminal. Pure; knows blocks, not tools.
 * Control characters never reach the terminal.
 */
import type { ViewBlock, ViewItem } from "../../protocol/tool_view.ts";
import type { Paint, Style } from "./style.ts";
import { oneLine, visibleText } from "./tool_line.ts";

const MAX_COLUMNS_CUT = 400;

const MARKS: Readonly<Record<NonNullable<ViewItem["state"]>, string>> = {
  waiting: "○",
  active: "▸",
  done: "✓",
  dropped: "–",
};

/** The lines of all blocks, each block cut after `maxLines`. */
export function viewLines(
  blocks: readonly ViewBlock[],
  { style, maxLines }: { style: Style; maxLines: number },
): string[] {
  return blocks.flatMap((block) => {
    const lines = blockLines(block, style);
    if (lines.length <= maxLines) return lines;
    const more = style.dim(`… ${lines.length - maxLines} more lines`);
    return [...lines.slice(0, maxLines), more];
  });
}

function blockLines(block: ViewBlock, style: Style): string[] {
  switch (block.kind) {
    case "text":
      return linesOf(block.text);
    case "output":
      return linesOf(block.text).map(block.isError ? style.red : style.dim);
    case "diff":
      return linesOf(block.text).map((line) => diffPaint(line, style)(line));
    case "list":
      return block.items.map(({ text, state }) =>
        `${state === undefined ? "-" : MARKS[state]} ${oneLine(text)}`
      );
    case "image":
      return [style.dim(`[${oneLine(block.mediaType)} ${oneLine(block.ref)}]`)];
  }
}

function linesOf(text: string): string[] {
  return text.trimEnd().split("\n").map((line) => visibleText(line.slice(0, MAX_COLUMNS_CUT)));
}

function diffPaint(line: string, style: Style): Paint {
  if (line.startsWith("@@")) return style.cyan;
  if (/^(?:\+\+\+|---) /.test(line)) return style.bold;
  if (line.startsWith("+")) return style.green;
  return line.startsWith("-") ? style.red : style.dim;
}
