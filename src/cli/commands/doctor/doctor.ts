/** `hermes doctor`: runs every check, prints one line each, exits 1 when something is broken. */
import { EXIT } from "../../../protocol/error.ts";
import type { CommandInput } from "../../command.ts";
import { out, useColor } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { homeOf } from "../../settings.ts";
import { CHECKS } from "./checks.ts";
import type { Finding } from "./finding.ts";

const MARKS = { ok: "ok  ", note: "note", warn: "warn", fail: "FAIL" } as const;
const COLORS = { ok: 32, note: 36, warn: 33, fail: 31 } as const;

export async function main(input: CommandInput): Promise<number> {
  const context = { home: homeOf(input), env: ownEnvironment() };
  const asJson = input.flags.json === true;
  const color = useColor("stdout");
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    for (const finding of await check(context)) {
      findings.push(finding);
      if (!asJson) out(renderFinding(finding, color));
    }
  }
  const broken = findings.filter((finding) => finding.status === "fail").length;
  if (asJson) out(`${JSON.stringify({ ok: broken === 0, checks: findings }, null, 2)}\n`);
  else out(broken === 0 ? "\nNothing is broken.\n" : `\n${broken} broken.\n`);
  return broken === 0 ? EXIT.done : EXIT.failed;
}

function renderFinding(finding: Finding, color: boolean): string {
  const mark = MARKS[finding.status];
  const shown = color ? `\x1b[${COLORS[finding.status]}m${mark}\x1b[0m` : mark;
  const fix = finding.fix === undefined ? "" : `     → ${finding.fix}\n`;
  return `${shown} ${finding.name}: ${finding.detail}\n${fix}`;
}
