/** The table of rules in the documentation is the table of rules. */
import assert from "node:assert/strict";
import { RULES } from "../../src/approval/rules/rules.ts";

function cell(text: string): string {
  return text.replaceAll("\n", "⏎").replaceAll("|", "\\|");
}

/** As `deno fmt` writes it: columns padded to their widest cell. */
function table(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const lines = rows.map((row) =>
    `| ${row.map((text, i) => text.padEnd(widths[i]!)).join(" | ")} |`
  );
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n");
}

Deno.test("docs/approval.md lists every rule", async () => {
  const rows = RULES.map(({ key, kind, description, match }) => [
    cell(key),
    kind === "hardline" ? "forbidden" : "prompt",
    cell(description),
    `\`${cell(match[0]!)}\``,
  ]);
  const expected = table([["rule", "decision", "why", "for example"], ...rows]);
  const text = await Deno.readTextFile(new URL("../../docs/approval.md", import.meta.url));
  assert.ok(text.includes(expected), `docs/approval.md should end with:\n${expected}\n`);
});
