/**
 * Text out of documents that are not text: notebooks, Word documents, workbooks. Words and
 * values only; layout, formulas and formats are left out.
 */
import { ToolError } from "../src/protocol/error.ts";
import type { ReadOptions } from "../src/protocol/environment.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { extname } from "../src/util/path.ts";
import { ZipReader } from "../src/util/zip.ts";

/** What one document gives at most: a thousand pages. */
const MAX_CHARS = 2_000_000;
/** Paragraphs, cells and pieces of text that are looked at. */
const MAX_ELEMENTS = 1_000_000;

/** Thrown when there is no room for more; caught by `collect()`. */
class Full extends Error {}

/**
 * Text that is collected from a foreign document up to a bound: a small file can describe more
 * text, cells or paragraphs than fit into memory, so nothing of it is built before it is counted.
 */
class BoundedText {
  #parts: string[] = [];
  #chars = 0;
  #elements = 0;

  /** One more part of the document is looked at. */
  step(): void {
    if (++this.#elements > MAX_ELEMENTS) throw new Full();
  }

  /** Appends as much as there is room for. */
  add(text: string): void {
    const room = MAX_CHARS - this.#chars;
    this.#parts.push(text.length > room ? text.slice(0, room) : text);
    this.#chars += text.length;
    if (text.length > room) throw new Full();
  }

  /** What `work` has added; a note says when that is not all. Undefined when it gives `false`. */
  async collect(work: (text: this) => Promise<boolean> | boolean): Promise<string | undefined> {
    try {
      if (!await work(this)) return undefined;
    } catch (error) {
      if (!(error instanceof Full)) throw error;
      this.#parts.push("\n[cut here: the document is too large to be extracted in full]\n");
    }
    return this.#parts.join("");
  }
}

const MAX_DOCUMENT_BYTES = 50 << 20;
const MAX_OUTPUT_CHARS = 20_000;
const MAX_ROWS = 5000;
const MAX_COLUMNS = 256;

interface NotebookCell {
  "cell_type"?: string;
  source?: string | string[];
  outputs?: { text?: string | string[]; data?: Record<string, unknown>; traceback?: string[] }[];
}

/** Adds what the document says; false when it is no such document. */
type Extractor = (
  bytes: Uint8Array<ArrayBuffer>,
  out: BoundedText,
) => Promise<boolean> | boolean;

const EXTRACTORS: Readonly<Record<string, Extractor>> = {
  ".ipynb": (bytes, out) => notebookText(new TextDecoder().decode(bytes), out),
  ".docx": async (bytes, out) =>
    wordText(await new ZipReader(bytes).text("word/document.xml"), out),
  ".xlsx": (bytes, out) => workbookText(new ZipReader(bytes), out),
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
    return await new BoundedText().collect((out) => extract(new Uint8Array(bytes), out));
  } catch (error) {
    throw new ToolError(`${path} cannot be extracted: ${(error as Error).message}.`);
  }
}

const WORD_PIECE = /<w:t(?:\s[^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br|cr)\b[^<>]*\/>/g;

/** Paragraphs of a Word document, tabs and line breaks kept. */
function wordText(xml: string | undefined, out: BoundedText): boolean {
  if (xml === undefined) return false;
  for (const { body } of elements(xml, "w:p")) {
    out.step();
    for (const [, text, mark] of body.matchAll(WORD_PIECE)) {
      out.step();
      out.add(text !== undefined ? plain(text) : mark === "tab" ? "\t" : "\n");
    }
    out.add("\n");
  }
  return true;
}

/** Visible sheets under banners, cells separated by tabs. */
async function workbookText(zip: ZipReader, out: BoundedText): Promise<boolean> {
  const workbook = await zip.text("xl/workbook.xml");
  if (workbook === undefined) return false;
  const links = await zip.text("xl/_rels/workbook.xml.rels") ?? "";
  const targets = new Map<string | undefined, string | undefined>();
  for (const { attributes } of elements(links, "Relationship")) {
    out.step();
    targets.set(attributes.Id, attributes.Target);
  }
  const shared: string[] = [];
  for (const { body } of elements(await zip.text("xl/sharedStrings.xml") ?? "", "si")) {
    out.step();
    shared.push(cellText(body));
  }
  let gap = "";
  for (const { attributes } of elements(workbook, "sheet")) {
    out.step();
    if (attributes.state !== undefined && attributes.state !== "visible") continue;
    const target = targets.get(attributes["r:id"])?.replace(/^\/?(xl\/)?/, "xl/");
    const xml = await zip.text(target ?? "") ?? "";
    out.add(`${gap}# ── sheet ${plain(attributes.name ?? "")} ──\n`);
    sheetText(xml, shared, out);
    gap = "\n\n";
  }
  out.add("\n");
  return true;
}

function sheetText(xml: string, shared: readonly string[], out: BoundedText): void {
  let rows = 0;
  for (const { body } of elements(xml, "row")) {
    out.step();
    if (++rows > MAX_ROWS) continue;
    if (rows > 1) out.add("\n");
    let column = -1;
    for (const { attributes, body: cell } of elements(body, "c")) {
      out.step();
      const place = columnOf(attributes.r ?? "", column + 1);
      if (place >= MAX_COLUMNS) break;
      // Cells come in order; one that names an earlier column goes to the next.
      const next = Math.max(place, column + 1);
      out.add("\t".repeat(column < 0 ? next : next - column));
      column = next;
      out.add(cellValue(attributes.t, cell, shared).replace(/[\t\n]/g, " "));
    }
  }
  if (rows > MAX_ROWS) out.add(`\n[${rows - MAX_ROWS} more rows]`);
}

function cellValue(type: string | undefined, cell: string, shared: readonly string[]): string {
  if (type === "inlineStr") return cellText(cell);
  const value = /<v(?:\s[^<>]*)?>([^<]*)<\/v>/.exec(cell)?.[1] ?? "";
  return type === "s" ? shared[Number(value)] ?? "" : plain(value);
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
function* elements(xml: string, name: string): Generator<XmlElement, void, void> {
  const opening = new RegExp(`<${name}(?=[\\s/>])([^<>]*)>`, "g");
  const closing = `</${name}>`;
  for (let tag = opening.exec(xml); tag !== null; tag = opening.exec(xml)) {
    const start = opening.lastIndex;
    const isEmpty = tag[1]!.endsWith("/");
    const end = isEmpty ? start : xml.indexOf(closing, start);
    if (end < 0) return;
    if (!isEmpty) opening.lastIndex = end + closing.length;
    yield { attributes: attributesOf(tag[1]!), body: xml.slice(start, end) };
  }
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

/** Cells under banners, outputs after their code; false when it is no notebook. */
function notebookText(json: string, out: BoundedText): boolean {
  let notebook: { cells?: NotebookCell[] };
  try {
    notebook = JSON.parse(json);
  } catch {
    // Half-written or merged with conflicts: it is shown as the plain text it is.
    return false;
  }
  if (!Array.isArray(notebook?.cells)) return false;
  for (const [i, cell] of notebook.cells.entries()) {
    out.step();
    const outputs = (cell.outputs ?? []).map(outputText).filter(Boolean).join("\n");
    const shown = outputs.length > MAX_OUTPUT_CHARS
      ? `${outputs.slice(0, MAX_OUTPUT_CHARS)}\n[output cut]`
      : outputs;
    out.add(`${i === 0 ? "" : "\n\n"}# ── cell ${i + 1} [${cell.cell_type ?? "code"}] ──\n`);
    out.add(joined(cell.source));
    if (shown !== "") out.add(`\n# ── output ──\n${shown}`);
  }
  out.add("\n");
  return true;
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
