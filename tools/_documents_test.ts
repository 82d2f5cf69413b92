import { equal, match } from "node:assert/strict";
import { createTempEnvironment } from "../tests/support/memory_environment.ts";
import { createTestContext, runTool } from "../tests/support/tool_context.ts";
import "./read_file.ts";

/** A ZIP archive of deflated texts, as office programs write it. */
async function zip(files: Record<string, string>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const deflate = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const packed = new Uint8Array(await new Response(deflate).arrayBuffer());
    const label = new TextEncoder().encode(name);
    const local = record(30, [[0, 0x04034b50, 4], [8, 8, 2], [18, packed.length, 4], [
      26,
      label.length,
      2,
    ]]);
    directory.push(
      record(46, [[0, 0x02014b50, 4], [10, 8, 2], [20, packed.length, 4], [28, label.length, 2], [
        42,
        at,
        4,
      ]]),
      label,
    );
    parts.push(local, label, packed);
    at += local.length + label.length + packed.length;
  }
  const end = record(22, [[0, 0x06054b50, 4], [16, at, 4]]);
  return new Uint8Array(await new Blob([...parts, ...directory, end] as BlobPart[]).arrayBuffer());
}

function record(size: number, fields: [at: number, value: number, bytes: 2 | 4][]): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  for (const [at, value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  return new Uint8Array(view.buffer);
}

async function read(name: string, content: Uint8Array | string) {
  await using env = await createTempEnvironment();
  await env.put({ [name]: content });
  return await runTool("read_file", { path: name }, createTestContext(env));
}

Deno.test("read_file extracts the paragraphs of a Word document", async () => {
  const xml = `<w:document><w:body><w:p><w:r><w:t>One &amp; </w:t></w:r><w:r>` +
    `<w:t xml:space="preserve">two</w:t><w:tab/><w:t>3</w:t></w:r></w:p><w:p/>` +
    `<w:p><w:pPr><w:pStyle w:val="x"/></w:pPr><w:r><w:t>&#233;nd</w:t></w:r></w:p>` +
    `</w:body></w:document>`;
  const reply = await read("a.docx", await zip({ "word/document.xml": xml }));
  equal(reply.content, "1|One & two\t3\n2|\n3|énd");
  equal(reply.extracted_document, true);
});

Deno.test("read_file extracts the visible sheets of a workbook", async () => {
  const reply = await read(
    "a.xlsx",
    await zip({
      "xl/workbook.xml": `<workbook><sheets><sheet name="Sales &lt;1&gt;" sheetId="1" r:id="r1"/>` +
        `<sheet name="Old" state="hidden" r:id="r2"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/` +
        `sheet1.xml"/><Relationship Id="r2" Target="worksheets/sheet2.xml"/></Relationships>`,
      "xl/sharedStrings.xml":
        `<sst><si><t>Name</t></si><si><r><t>Jo</t></r><r><t>e</t></r></si></sst>`,
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c>` +
        `<c r="C1"><f>1+1</f><v>2</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c>` +
        `<c r="B2" t="inlineStr"><is><t>in\tline</t></is></c></row></sheetData></worksheet>`,
      "xl/worksheets/sheet2.xml": `<worksheet><row><c><v>secret</v></c></row></worksheet>`,
    }),
  );
  equal(reply.content, "1|# ── sheet Sales <1> ──\n2|Name\t\t2\n3|Joe\tin line");
});

Deno.test("read_file says what is wrong with a damaged document", async () => {
  match((await read("a.docx", "not an archive at all")).error, /cannot be extracted: not a ZIP/);
  match((await read("b.xlsx", await zip({ "other": "x" }))).error, /not readable as text/);
  match((await read("c.pdf", "%PDF-1.7")).error, /pdftotext/);
});

const CUT = /\[cut here: the document is too large to be extracted in full\]/;

/** The last page of what is read, which says whether something is missing. */
async function lastLines(name: string, content: Uint8Array): Promise<string> {
  await using env = await createTempEnvironment();
  await env.put({ [name]: content });
  const context = createTestContext(env);
  const { total_lines: total } = await runTool("read_file", { path: name }, context);
  const page = { path: name, offset: Number(total) - 3, limit: 10 };
  return String((await runTool("read_file", page, context)).content);
}

Deno.test("read_file stops in a workbook whose few cells are repeated without end", async () => {
  const sheets = Array.from({ length: 400 }, (_, i) => `<sheet name="s${i}" r:id="r${i}"/>`);
  const links = sheets.map((_, i) => `<Relationship Id="r${i}" Target="s.xml"/>`);
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(256)}</row>`;
  const workbook = await zip({
    "xl/workbook.xml": `<workbook>${sheets.join("")}</workbook>`,
    "xl/_rels/workbook.xml.rels": links.join(""),
    "xl/sharedStrings.xml": `<si><t>${"b".repeat(100_000)}</t></si>`,
    "xl/s.xml": row.repeat(1_000),
  });
  match(await lastLines("a.xlsx", workbook), CUT);
});

Deno.test("read_file stops in a document of paragraphs or text without end", async () => {
  const paragraphs = { "word/document.xml": "<w:p></w:p>".repeat(1_200_000) };
  match(await lastLines("a.docx", await zip(paragraphs)), CUT);
  const long = `<w:p><w:t>${"word ".repeat(500_000)}</w:t></w:p>`;
  match(await lastLines("b.docx", await zip({ "word/document.xml": long })), CUT);
});

Deno.test("read_file unpacks only so much of a document, however many parts it has", async () => {
  const name = (i: number) => `<sheet name="s${i}" r:id="r${i}"/>`;
  const sheets = Array.from({ length: 40 }, (_, i) => name(i)).join("");
  const links = Array.from({ length: 40 }, (_, i) => `<Relationship Id="r${i}" Target="s.xml"/>`);
  const reply = await read(
    "a.xlsx",
    await zip({
      "xl/workbook.xml": `<workbook>${sheets}</workbook>`,
      "xl/_rels/workbook.xml.rels": links.join(""),
      "xl/s.xml": " ".repeat(4 << 20),
    }),
  );
  match(String(reply.error), /s\.xml is too large when unpacked/);
});
