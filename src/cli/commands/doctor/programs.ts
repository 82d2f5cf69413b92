/** The doctor's look at other programs and at what the kernel offers. */
import type { Settings } from "../../../config/load.ts";
import { type ChildEnvironment, helperEnvironment } from "../../../process/child_environment.ts";
import { runProgram } from "../../../process/run_program.ts";
import { probeSandbox } from "../../../sandbox/sandbox_probe.ts";
import { defaultMode } from "../../../sandbox/child/child_command.ts";
import { reasonOf } from "../../../util/reason.ts";
import { which } from "../../../util/which.ts";
import type { Finding } from "./finding.ts";

interface Program {
  name: string;
  /** Prints a version; a failure means it is installed but does not work. */
  probe: readonly string[];
  required?: boolean;
  without: string;
  install: string;
}

const PROBE_MS = 5000;

const PROGRAMS: readonly Program[] = [
  {
    name: "bash",
    probe: ["--version"],
    required: true,
    without: "commands cannot run",
    install: "Install bash",
  },
  {
    name: "git",
    probe: ["--version"],
    without: "the model cannot use git",
    install: "Install git",
  },
  {
    name: "rg",
    probe: ["--version"],
    without: "search_files uses its own, slower engine",
    install: "Install ripgrep for faster searches",
  },
];

export async function checkPrograms(settings: Settings): Promise<Finding[]> {
  return await Promise.all(PROGRAMS.map((program) => checkProgram(program, settings)));
}

async function checkProgram(program: Program, settings: Settings): Promise<Finding> {
  const { name } = program;
  const needed = program.required === true;
  const status = needed ? "fail" : "note";
  const path = await which(name, settings.env("PATH"));
  if (path === undefined) {
    const fix = needed ? { fix: program.install } : {};
    return { name, status, detail: `not found: ${program.without}`, ...fix };
  }
  const env = helperEnvironment(Object.fromEntries(settings.variables()));
  const answer = await probe([path, ...program.probe], env);
  if (answer.ok) return { name, status: "ok", detail: `${answer.line} (${path})` };
  const detail = `${path} does not work: ${answer.line}; ${program.without}`;
  return { name, status, detail, ...(needed ? { fix: program.install } : {}) };
}

async function probe(
  argv: readonly string[],
  env: ChildEnvironment,
): Promise<{ ok: boolean; line: string }> {
  try {
    const end = await runProgram(argv, { env, cwd: "/", timeoutMs: PROBE_MS });
    const { code, stdout, stderr, timedOut } = end;
    if (timedOut) return { ok: false, line: `no answer within ${PROBE_MS / 1000} s` };
    const text = stdout.trim() || stderr.trim();
    return { ok: code === 0, line: text.split("\n")[0] || `exit code ${code}` };
  } catch (error) {
    return { ok: false, line: reasonOf(error) };
  }
}

export function checkSandbox(settings: Settings): Promise<Finding[]> {
  const { script, python } = probeSandbox({
    mode: defaultMode(),
    without: [],
    searchPath: settings.env("PATH") ?? "",
  });
  const name = "execute_code";
  return Promise.resolve([
    script.available
      ? { name, status: "ok", detail: "scripts run behind every wall this machine has" }
      : { name, status: "warn", detail: script.reason },
    python.available
      ? { name: `${name} (Python)`, status: "ok", detail: "available" }
      : { name: `${name} (Python)`, status: "note", detail: python.reason },
  ]);
}
