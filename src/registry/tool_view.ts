/**
 * A call and its result as people see them: by the tool's own renderers, and by a plain default
 * for tools that have none. Data only; a renderer that throws costs its view, never the call.
 */
import type { ImagePart } from "../protocol/message.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { ToolDetails } from "../protocol/tool_details.ts";
import type { ViewBlock } from "../protocol/tool_view.ts";

const MAX_LINE_CHARS = 200;
const MAX_TEXT_CHARS = 4_000;

type Renderers = Pick<ToolSpec, "summary" | "view">;

/** What a call is about, in one line; empty when its name says all. */
export function callSummary(spec: Renderers | undefined, args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const record = args as Record<string, unknown>;
  try {
    if (spec?.summary) return oneLine(spec.summary(record));
  } catch {
    // Arguments that a tool mends itself may have any shape.
  }
  const telling = Object.values(record).find((value) => typeof value === "string" && value !== "");
  if (typeof telling === "string") return oneLine(telling);
  return Object.keys(record).length === 0 ? "" : oneLine(JSON.stringify(record));
}

export interface ShownResult {
  args: unknown;
  /** What the model reads. */
  text: string;
  isError: boolean;
  /** The error in words, where there is one. */
  problem?: string | undefined;
  details?: ToolDetails | undefined;
  images?: readonly ImagePart[] | undefined;
}

/** The result in one line. */
export function resultLine(spec: Renderers | undefined, result: ShownResult): string {
  const own = ownView(spec, result, (view, call) => view.line(call));
  if (own !== undefined) return oneLine(own);
  return oneLine(result.problem === undefined ? result.text : `error: ${result.problem}`);
}

/** The result in full, as far as a person wants to see it. */
export function resultBlocks(spec: Renderers | undefined, result: ShownResult): ViewBlock[] {
  const own = ownView(spec, result, (view, call) => view.expanded(call));
  const images = (result.images ?? []).map(({ mediaType, ref }): ViewBlock => ({
    kind: "image",
    mediaType,
    ref,
  }));
  return [...own ?? textBlocks(result), ...images];
}

function textBlocks({ problem, text }: ShownResult): ViewBlock[] {
  if (problem !== undefined) return [{ kind: "text", text: bounded(problem) }];
  return text === "" ? [] : [{ kind: "output", text: bounded(text) }];
}

type View = NonNullable<Renderers["view"]>;

/** What the tool's own renderer says; undefined without one, and where it throws. */
function ownView<T>(
  spec: Renderers | undefined,
  { args, details, isError }: ShownResult,
  render: (view: View, call: Parameters<View["line"]>[0]) => T,
): T | undefined {
  if (spec?.view === undefined || details === undefined) return undefined;
  try {
    return render(spec.view, { args, details, isError });
  } catch {
    // The text that the model reads is shown instead.
    return undefined;
  }
}

function oneLine(text: string): string {
  const line = text.slice(0, MAX_LINE_CHARS * 4).replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS - 1)}…` : line;
}

function bounded(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  return `${text.slice(0, MAX_TEXT_CHARS)}… (${text.length - MAX_TEXT_CHARS} more characters)`;
}
