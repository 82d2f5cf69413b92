/** `hermes hooks`: shows, tries, approves and revokes the shell hooks of `config.yaml`. */
import type { Settings } from "../../config/load.ts";
import { EXIT, HermesError, UsageError } from "../../protocol/error.ts";
import { HOOK_NAMES, type HookPayload, UNSENT_HOOKS } from "../../protocol/hook.ts";
import { HOOK_CONSENT_FILE, HookConsents } from "../../registry/hooks/hook_consent.ts";
import type { CoveredFile } from "../../registry/hooks/hook_files.ts";
import { spawnHook } from "../../registry/hooks/hook_process.ts";
import {
  consentTo,
  matches,
  parseShellHooks,
  runShellHook,
  type ShellHook,
  type ShellHookReport,
  unrunnable,
} from "../../registry/hooks/shell_hooks.ts";
import { didYouMean } from "../../util/nearest.ts";
import { joinPath } from "../../util/path.ts";
import { reasonOf } from "../../util/reason.ts";
import { removeTree } from "../../util/remove_tree.ts";
import { Seal, SEAL_KEY_FILE } from "../../util/seal.ts";
import type { CommandInput } from "../command.ts";
import { err, out } from "../io.ts";
import { ownEnvironment } from "../own_environment.ts";
import { settingsOf } from "../settings.ts";

interface Configured {
  hooks: ShellHook[];
  problems: string[];
  consents: HookConsents;
  /** Where private copies of scripts are kept. */
  copies: string;
}

export async function main(input: CommandInput): Promise<number> {
  const settings = await settingsOf(input);
  const { hooks, problems, missingGuards } = parseShellHooks(settings.config.hooks);
  const { home } = settings;
  const seal = new Seal(joinPath(home.root, SEAL_KEY_FILE));
  const configured: Configured = {
    hooks,
    problems: [...missingGuards, ...problems],
    consents: await HookConsents.read(home.path(HOOK_CONSENT_FILE), seal),
    copies: home.path("cache", "hooks"),
  };
  switch (input.path[1]) {
    case "test":
      return await test(configured, input);
    case "approve":
      return await approve(configured, input.args);
    case "revoke":
      return await revoke(configured, input.args);
    default:
      return await list(configured, { settings, json: input.flags.json === true });
  }
}

async function list(
  { hooks, problems, consents }: Configured,
  { settings, json }: { settings: Settings; json: boolean },
): Promise<number> {
  const accepted = settings.config.hooks_auto_accept;
  const here = { env: ownEnvironment(), cwd: Deno.cwd() };
  const rows = await Promise.all(hooks.map(async (hook) => {
    const { objection } = accepted ? {} : await consentTo(hook, { consents, ...here });
    const { argv: _, ...shown } = hook;
    return { ...shown, approved: objection === undefined, ...(objection && { objection }) };
  }));
  const lost = await unrunnable(hooks, here);
  if (json) {
    out(`${JSON.stringify({ hooks: rows, problems: [...problems, ...lost] }, null, 2)}\n`);
    return problems.length > 0 ? EXIT.usage : EXIT.done;
  }
  for (const row of rows) {
    const scope = row.matcher === undefined ? "" : ` [${row.matcher}]`;
    const closed = row.failClosed ? ", fails closed" : "";
    const state = row.approved ? "approved" : `NOT APPROVED, does not run (${row.objection})`;
    out(`${row.event}${scope}: ${row.command}\n  ${state}, ${row.timeoutMs / 1000} s${closed}\n`);
  }
  for (const problem of [...problems, ...lost]) err(`hermes: ${problem}\n`);
  if (rows.some((row) => !row.approved)) err(`To let hooks run: hermes hooks approve\n`);
  if (rows.length === 0 && problems.length === 0) {
    err(`No hooks are configured. See "hermes help hooks".\n`);
  }
  return problems.length > 0 ? EXIT.usage : EXIT.done;
}

/** Runs the hooks of one event as a session would, approved or not: the person asked for it. */
async function test({ hooks }: Configured, input: CommandInput): Promise<number> {
  const [event = ""] = input.args;
  if (!(HOOK_NAMES as readonly string[]).includes(event)) {
    const unsent = UNSENT_HOOKS.get(event);
    const problem = unsent === undefined
      ? `there is no event "${event}".${didYouMean(event, HOOK_NAMES)}`
      : `${event}: ${unsent}`;
    throw new UsageError(problem, {
      hint: `Events: ${HOOK_NAMES.join(", ")}`,
    });
  }
  const payload = await payloadOf(input, event);
  const { toolName } = payload;
  const concerned = hooks.filter((hook) => hook.event === event && matches(hook, toolName));
  if (concerned.length === 0) {
    const about = toolName === undefined ? "" : ` for the tool ${toolName}`;
    throw new HermesError(`there is no hook of ${event}${about}`, {
      hint: "See which there are: hermes hooks list",
    });
  }
  let failures = 0;
  for (const hook of concerned) {
    const report = await runShellHook(hook, payload, {
      spawn: spawnHook,
      env: ownEnvironment(),
      cwd: Deno.cwd(),
      log() {},
      signal: new AbortController().signal,
    });
    if (report.failure !== undefined) failures++;
    if (input.flags.json === true) {
      out(`${JSON.stringify({ event, command: hook.command, ...report })}\n`);
    } else out(describeRun(hook, report));
  }
  return failures > 0 ? EXIT.failed : EXIT.done;
}

/** A sample, or what the file says; only a tool's events have one. */
async function payloadOf(input: CommandInput, event: string): Promise<HookPayload> {
  const { "for-tool": tool, "payload-file": file } = input.flags;
  const call = {
    toolName: typeof tool === "string" ? tool : "terminal",
    args: { command: "echo hello" },
  };
  const sample: HookPayload = {
    sessionId: "test",
    cwd: Deno.cwd(),
    ...(event.includes("_tool_") ? call : {}),
    ...(event === "transform_tool_result" ? { result: "hello", status: "ok" } : {}),
    ...(event === "transform_llm_output" ? { response: "Hello." } : {}),
  };
  if (typeof file !== "string") return sample;
  try {
    const given = JSON.parse(await Deno.readTextFile(file));
    if (given === null || typeof given !== "object" || Array.isArray(given)) {
      throw new TypeError("it must hold a JSON object");
    }
    return { ...sample, ...given };
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new UsageError(`cannot use ${file}: ${reason}`, {
      hint: 'Example: {"toolName": "terminal", "args": {"command": "ls"}}',
      cause,
    });
  }
}

function describeRun(hook: ShellHook, report: ShellHookReport): string {
  const code = report.exit ? `, exit code ${report.exit.code}` : "";
  const verdict = report.failure === undefined ? "ok" : `FAILED: ${report.failure}`;
  const answer = report.answer === undefined ? "nothing" : JSON.stringify(report.answer);
  return `${hook.command}\n  ${verdict}${code}, ${report.durationMs} ms\n  says: ${answer}\n`;
}

/** Agrees to commands with the files they run now. */
async function approve(
  { hooks, consents, copies }: Configured,
  args: string[],
): Promise<number> {
  const wanted = args.length === 0 ? hooks : args.flatMap((command) => {
    const found = hooks.filter((hook) => hook.command === command);
    if (found.length > 0) return found;
    const meant = didYouMean(command, hooks.map((hook) => hook.command));
    throw new UsageError(`no hook runs: ${command}.${meant}`, {
      hint: "See which there are: hermes hooks list",
    });
  });
  const here = { env: ownEnvironment(), cwd: Deno.cwd() };
  let [added, missing] = [0, 0];
  for (const hook of wanted) {
    const { program, objection } = await consentTo(hook, { consents, ...here });
    if (program === undefined) {
      missing++;
      err(`hermes: cannot approve ${hook.command}: ${objection}\n`);
    } else if (objection !== undefined) {
      added++;
      await consents.approve(hook, program.files);
      out(`approved for ${hook.event}: ${hook.command}\n`);
      for (const file of program.files) out(`  ${describeFile(file)}\n`);
    }
  }
  if (added + missing === 0) err("Nothing to approve.\n");
  // Copies of what was approved before are of no use any more.
  if (added > 0) await removeTree(copies);
  return missing > 0 ? EXIT.failed : EXIT.done;
}

/** A file that a consent covers, and how. */
function describeFile({ path, real, sha256 }: CoveredFile): string {
  const place = real === undefined ? path : `${path} -> ${real}`;
  return sha256 === undefined ? `${place} (the system's, by its path)` : `${place} (as it is now)`;
}

async function revoke({ consents }: Configured, args: string[]): Promise<number> {
  for (const command of args) {
    const removed = await consents.revoke(command);
    if (removed.length === 0) {
      throw new UsageError(
        `not approved anyway: ${command}.${didYouMean(command, consents.commands)}`,
      );
    }
    for (const { event } of removed) out(`revoked for ${event}: ${command}\n`);
  }
  return EXIT.done;
}
