/** Text out of documents that are not text: notebooks here, others refused by their ending. */
import { ToolError } from "../src/protocol/error.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { extname } from "../src/util/path.ts";

const MAX_DOCUMENT_BYTES = 50 << 20;
const MAX_OUTPUT_CHARS = 20_000;

interface NotebookCell {
  "cell_type"?: string;
  source?: string | string[];
  outputs?: { text?: string | string[]; data?: Record<string, unknown>; traceback?: string[] }[];
}

/** The text of a document that has an extractor here; undefined for everything else. */
export async function extractDocument(
  ctx: ToolContext,
  file: { path: string; size: number },
): Promise<string | undefined> {
  const { path, size } = file;
  if (extname(path).toLowerCase() !== ".ipynb") return undefined;
  if (size > MAX_DOCUMENT_BYTES) {
    throw new ToolError(`${path} is too large to extract (${size} bytes, at most 50 MB).`);
  }
  const bytes = await ctx.env.readFile(path, { signal: ctx.signal });
  return notebookText(new TextDecoder().decode(bytes));
}

// deno-lint-ignore no-control-regex -- tracebacks are coloured
const COLOURS = /\x1b\[[0-9;]*m/g;

/** Cells under banners, outputs after their code; undefined when it is no notebook. */
export function notebookText(json: string): string | undefined {
  let notebook: { cells?: NotebookCell[] };
  try {
    notebook = JSON.parse(json);
  } catch {
    // Half-written or merged with conflicts: it is shown as the plain text it is.
    return undefined;
  }
  if (!Array.isArray(notebook?.cells)) return undefined;
  const parts = notebook.cells.map((cell, i) => {
    const banner = `# ── cell ${i + 1} [${cell.cell_type ?? "code"}] ──`;
    const outputs = (cell.outputs ?? []).map(outputText).filter(Boolean).join("\n");
    const shown = outputs.length > MAX_OUTPUT_CHARS
      ? `${outputs.slice(0, MAX_OUTPUT_CHARS)}\n[output cut]`
      : outputs;
    return [banner, joined(cell.source), ...(shown === "" ? [] : ["# ── output ──", shown])]
      .join("\n");
  });
  return parts.join("\n\n") + "\n";
}

function outputText(output: NonNullable<NotebookCell["outputs"]>[number]): string {
  if (output.traceback) return output.traceback.join("\n").replace(COLOURS, "");
  if (output.text !== undefined) return joined(output.text);
  const plain = output.data?.["text/plain"];
  const image = Object.keys(output.data ?? {}).find((type) => type.startsWith("image/"));
  if (image !== undefined) return `[${image} left out]`;
  return joined(plain as string | string[] | undefined);
}

function joined(text: string | string[] | undefined): string {
  return Array.isArray(text) ? text.join("") : text ?? "";
}
