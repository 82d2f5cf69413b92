/** How changed files are shown: which, by how much, and the diff where there is one. */
import type { EditDetails } from "../src/protocol/tool_details.ts";
import type { ToolView, ViewBlock, ViewedCall } from "../src/protocol/tool_view.ts";
import type { Lint } from "./_syntax.ts";

export const EDIT_VIEW: ToolView<unknown, EditDetails> = { line: editLine, expanded: editBlocks };

/** `+3 −1`, with names for more than one file; `nothing to change`. */
export function editLine(
  { details: { files, problems } }: ViewedCall<unknown, EditDetails>,
): string {
  const names = files.length > 1 ? `${files.length} files ` : "";
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const whole = files.length === 0 ? "nothing to change" : `${names}+${added} −${removed}`;
  return problems.length === 0 ? whole : `${whole} · does not parse: ${problems[0]}`;
}

function editBlocks({ details }: ViewedCall<unknown, EditDetails>): ViewBlock[] {
  const { files, diff, problems } = details;
  return [
    ...(files.length === 0 ? [] : [{
      kind: "list" as const,
      items: files.map(({ path, change }) => ({ text: `${change} ${path}` })),
    }]),
    ...(diff === "" ? [] : [{ kind: "diff" as const, text: diff }]),
    ...problems.map((text) => ({ kind: "output" as const, text, isError: true })),
  ];
}

/** What a checker found wrong, for the details. */
export function lintProblems(lint: Lint | undefined): string[] {
  return lint?.status === "error" && lint.output !== undefined ? [lint.output] : [];
}
