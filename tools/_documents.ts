/**
 * Text out of documents that are not text: notebooks, Word documents, workbooks. Words and
 * values only; layout, formulas and formats are left out.
 */
import { ToolError } from "../src/protocol/error.ts";
import type { ReadOptions } from "../src/protocol/environment.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { extname } from "../src/util/path.ts";
import { ZipReader } from "../src/util/zip.ts";

const MAX_DOCUMENT_BYTES = 50 << 20;
const MAX_OUTPUT_CHARS = 20_000;
const MAX_ROWS = 5000;
const MAX_COLUMNS = 256;

interface NotebookCell {
  "cell_type"?: string;
  source?: string | string[];
  outputs?: { text?: string | string[]; data?: Record<string, unknown>; traceback?: string[] }[];
}

const EXTRACTORS: Readonly<
  Record<string, (bytes: Uint8Array<ArrayBuffer>) => Promise<string | undefined>>
> = {
  ".ipynb": (bytes) => Promise.resolve(notebookText(new TextDecoder().decode(bytes))),
  ".docx": async (bytes) => wordText(await new ZipReader(bytes).text("word/document.xml")),
  ".xlsx": (bytes) => workbookText(new ZipReader(bytes)),
};

/** The text of a document that has an extractor here; undefined for everything else. */
export async function extractDocument(
  ctx: ToolContext,
  file: { path: string; size: number } & Pick<ReadOptions, "check">,
): Promise<string | undefined> {
  const { path, size, ...options } = file;
  const extract = EXTRACTORS[extname(path).toLowerCase()];
  if (extract === undefined) return undefined;
  if (size > MAX_DOCUMENT_BYTES) {
    throw new ToolError(`${path} is too large to extract (${size} bytes, at most 50 MB).`);
  }
  const bytes = await ctx.env.readFile(path, { ...options, signal: ctx.signal });
  try {
    return await extract(new Uint8Array(bytes));
  } catch (error) {
    throw new ToolError(`${path} cannot be extracted: ${(error as Error).message}.`);
  }
}

/** Paragraphs of a Word document, tabs and line breaks kept. */
function wordText(xml: string | undefined): string | undefined {
  if (xml === undefined) return undefined;
  return elements(xml, "w:p").map((paragraph) =>
    [...paragraph.body.matchAll(/<w:t(?:\s[^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br|cr)\b[^<>]*\/>/g)]
      .map(([, text, mark]) => text !== undefined ? plain(text) : mark === "tab" ? "\t" : "\n")
      .join("")
  ).join("\n") + "\n";
}

/** Visible sheets under banners, cells separated by tabs. */
async function workbookText(zip: ZipReader): Promise<string | undefined> {
  const workbook = await zip.text("xl/workbook.xml");
  if (workbook === undefined) return undefined;
  const links = await zip.text("xl/_rels/workbook.xml.rels") ?? "";
  const targets = new Map(
    elements(links, "Relationship").map(({ attributes }) => [attributes.Id, attributes.Target]),
  );
  const shared = elements(await zip.text("xl/sharedStrings.xml") ?? "", "si")
    .map(({ body }) => cellText(body));
  const parts: string[] = [];
  for (const { attributes } of elements(workbook, "sheet")) {
    if (attributes.state !== undefined && attributes.state !== "visible") continue;
    const target = targets.get(attributes["r:id"])?.replace(/^\/?(xl\/)?/, "xl/");
    const xml = await zip.text(target ?? "") ?? "";
    parts.push(`# ── sheet ${plain(attributes.name ?? "")} ──\n${sheetText(xml, shared)}`);
  }
  return parts.join("\n\n") + "\n";
}

function sheetText(xml: string, shared: readonly string[]): string {
  const rows = elements(xml, "row");
  const lines = rows.slice(0, MAX_ROWS).map(({ body }) => {
    const cells: string[] = [];
    for (const { attributes, body: cell } of elements(body, "c")) {
      const column = columnOf(attributes.r ?? "", cells.length);
      if (column >= MAX_COLUMNS) break;
      while (cells.length < column) cells.push("");
      const value = /<v(?:\s[^<>]*)?>([^<]*)<\/v>/.exec(cell)?.[1] ?? "";
      cells.push(
        attributes.t === "s"
          ? shared[Number(value)] ?? ""
          : attributes.t === "inlineStr"
          ? cellText(cell)
          : plain(value),
      );
    }
    return cells.map((text) => text.replace(/[\t\n]/g, " ")).join("\t");
  });
  if (rows.length > MAX_ROWS) lines.push(`[${rows.length - MAX_ROWS} more rows]`);
  return lines.join("\n");
}

/** `B7` → 1; the next column when a cell does not say where it is. */
function columnOf(reference: string, next: number): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return next;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText(xml: string): string {
  return [...xml.matchAll(/<t(?:\s[^<>]*)?>([^<]*)<\/t>/g)].map(([, text]) => plain(text!)).join(
    "",
  );
}

interface XmlElement {
  attributes: Record<string, string | undefined>;
  body: string;
}

/** Elements of one name that do not nest in themselves: enough for these formats. */
function elements(xml: string, name: string): XmlElement[] {
  const opening = new RegExp(`<${name}(?=[\\s/>])([^<>]*)>`, "g");
  const closing = `</${name}>`;
  const found: XmlElement[] = [];
  for (let tag = opening.exec(xml); tag !== null; tag = opening.exec(xml)) {
    const start = opening.lastIndex;
    const isEmpty = tag[1]!.endsWith("/");
    const end = isEmpty ? start : xml.indexOf(closing, start);
    if (end < 0) break;
    found.push({ attributes: attributesOf(tag[1]!), body: xml.slice(start, end) });
    if (!isEmpty) opening.lastIndex = end + closing.length;
  }
  return found;
}

function attributesOf(text: string): XmlElement["attributes"] {
  const pairs = [...text.matchAll(/(?<![\w:])([\w:]+)="([^"]*)"/g)];
  return Object.fromEntries(pairs.map(([, key, value]) => [key, value]));
}

function plain(text: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? all;
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });
}

// deno-lint-ignore no-control-regex -- tracebacks are coloured
const COLOURS = /\x1b\[[0-9;]*m/g;

/** Cells under banners, outputs after their code; undefined when it is no notebook. */
function notebookText(json: string): string | undefined {
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
