/**
 * `hermes approvals`: asks how commands would be judged, shows the rules, allows by hand. What is
 * allowed for good is shown and taken back by `kept.ts`.
 */
import { commandCase } from "../../../approval/command_case.ts";
import { type CommandPolicy, decide, evaluate } from "../../../approval/decide.ts";
import { coversCommand } from "../../../approval/grants.ts";
import { failedExample, RULES } from "../../../approval/rules/rules.ts";
import type { CommandVerdict } from "../../../protocol/approval.ts";
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import type { Grant } from "../../../protocol/grant.ts";
import { projectRoot } from "../../../util/project_root.ts";
import { shellQuote } from "../../../util/shell_quote.ts";
import { hostDisk } from "../../../session/host_disk.ts";
import { hermesPrograms, protectedPlaces } from "../../../session/protected_places.ts";
import type { CommandInput } from "../../command.ts";
import { out } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { homeOf, settingsOf } from "../../settings.ts";

export async function main(input: CommandInput): Promise<number> {
  switch (input.path[1]) {
    case "check":
      return await check(input);
    case "rules":
      return rules(input);
    case "allow":
      return await allow(input);
    case "forget":
      return await (await import("./kept.ts")).forget(input);
    default:
      return await (await import("./kept.ts")).list(input);
  }
}

/** How commands are judged with the settings, the home and the directory of this command. */
async function policyOf(input: CommandInput): Promise<CommandPolicy & { allowlist: string[] }> {
  const { config, env, home: own } = await settingsOf(input);
  const home = env("HOME");
  const facts = { home: own, userHome: home ?? "/", env: ownEnvironment() };
  const [places, programs] = await Promise.all([
    protectedPlaces(facts),
    hermesPrograms(facts.env),
  ]);
  return {
    cwd: Deno.cwd(),
    ...home === undefined ? {} : { home },
    places,
    hermesPrograms: programs,
    disk: hostDisk(),
    denyGlobs: config.approvals.deny,
    allowlist: config.command_allowlist,
    sudoPassword: env("SUDO_PASSWORD") !== undefined,
  };
}

/** One JSON line for the command, or for each line of standard input. Always succeeds: the answer is data. */
async function check(input: CommandInput): Promise<number> {
  const policy = await policyOf(input);
  const grants = await storedGrants(input);
  const print = (command: string) =>
    out(`${JSON.stringify(verdictOf(command, { policy, grants }))}\n`);
  const [command = ""] = input.args;
  if (command !== "-") print(command);
  else for await (const line of stdinLines()) print(line);
  return EXIT.done;
}

/** Damage is told by `approvals list`: what cannot be read allows nothing. */
async function storedGrants(input: CommandInput): Promise<readonly Grant[]> {
  const { GrantFile, GRANTS_FILE } = await import("../../../approval/grant_store.ts");
  return await new GrantFile(homeOf(input).path(GRANTS_FILE)).read().catch(() => []);
}

/** The decision of the rules, and of a stored yes where the rules want a yes. */
function verdictOf(
  command: string,
  { policy, grants }: { policy: CommandPolicy; grants: readonly Grant[] },
): CommandVerdict {
  const verdict = decide(command, policy);
  if (verdict.decision !== "prompt" || grants.length === 0) return verdict;
  const { findings } = evaluate(command, policy);
  const cwd = Deno.realPathSync(Deno.cwd());
  const project = projectRoot(cwd, { homes: policy.places?.homes ?? [] });
  const context = { tool: "terminal", environment: "local", cwd };
  const wanted = commandCase(command, { findings, context, project, policy, isAskAll: false });
  return coversCommand(grants, wanted) ? { ...verdict, decision: "allow" } : verdict;
}

/** Lines as they arrive, kept as they are but for the line ending. */
async function* stdinLines(): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  if (rest !== "") yield rest;
}

function rules({ flags }: CommandInput): number {
  if (flags["verify"] === true) return verify();
  if (flags["json"] === true) {
    const rows = RULES.map(({ key, kind, description, match, noMatch }) => ({
      rule: key,
      kind,
      description,
      match,
      noMatch,
    }));
    out(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT.done;
  }
  const width = Math.max(...RULES.map(({ key }) => key.length));
  for (const { key, kind, description } of RULES) {
    out(`${kind.padEnd(9)}  ${key.padEnd(width)}  ${description}\n`);
  }
  return EXIT.done;
}

function verify(): number {
  const examples = RULES.reduce(
    (sum, { match, noMatch }) => sum + match.length + noMatch.length,
    0,
  );
  for (const rule of RULES) {
    const wrong = failedExample(rule);
    if (wrong === undefined) continue;
    throw new HermesError(`the rule "${rule.key}" is wrong about its example: ${wrong}`);
  }
  out(`${RULES.length} rules hold on all of their ${examples} examples\n`);
  return EXIT.done;
}

/** Adds an entry to the allowlist, unless that would change nothing. */
async function allow(input: CommandInput): Promise<number> {
  const { editConfig } = await import("../../../config/edit.ts");
  const [entry = ""] = input.args;
  const isRule = RULES.some(({ key }) => key === entry);
  if (!isRule) {
    const policy = await policyOf(input);
    const allowlist = [...policy.allowlist, entry];
    const { decision, description } = decide(entry, { ...policy, allowlist });
    if (decision !== "allow") {
      const why = decision === "forbidden" ? "never runs" : "needs a yes every time";
      throw new UsageError(`this ${why}: ${description}`, {
        hint: "Only one plain command can be allowed by its text; rules: hermes approvals rules",
      });
    }
  }
  const { file } = await editConfig(homeOf(input), {
    key: "command_allowlist",
    change: (
      current,
    ) => [...new Set([...Array.isArray(current) ? current.map(String) : [], entry])],
  });
  const undo = `hermes approvals forget ${shellQuote(entry)}`;
  out(`${entry} is allowed from now on, everywhere (${file}); to take it back: ${undo}\n`);
  return EXIT.done;
}
