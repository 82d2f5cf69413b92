/** The policy that a session in this directory would have, by flags and settings. */
import { checkDirectory } from "../../../host/directory.ts";
import type { Settings } from "../../../config/load.ts";
import type { SandboxMode, SandboxPolicy } from "../../../protocol/sandbox.ts";
import { requireWalls } from "../../../session/wall_check.ts";
import { WallFactsOf } from "../../../session/wall_facts.ts";
import { sessionPolicy, type WallFacts } from "../../../session/walls.ts";
import { resolvePath } from "../../../util/path.ts";
import type { CommandInput } from "../../command.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { settingsOf } from "../../settings.ts";
import { defined, text } from "../run/options.ts";

export interface PolicyHere {
  settings: Settings;
  cwd: string;
  /** Undefined where no walls stand. */
  policy: SandboxPolicy | undefined;
  /** The facts that the policy was made of, for further policies. */
  facts: WallFacts;
}

/**
 * The policy by the flags of a command line; `overrides` beat the settings.
 * @throws {UsageError} when a flag or a setting means nothing.
 */
export async function policyHere(
  input: CommandInput,
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<PolicyHere> {
  const { flags } = input;
  const sandbox = text(flags.sandbox) as SandboxMode | undefined;
  const network = text(flags.network);
  const settings = await settingsOf(input, {
    ...defined({ "terminal.sandbox": sandbox, "terminal.network": network }),
    ...overrides,
  });
  requireWalls({ settings, spec: defined({ sandbox, network }) });
  const cwd = resolvePath(Deno.cwd(), text(flags.cwd) ?? ".");
  checkDirectory(cwd, "-C (--cwd)");
  return await policyIn(cwd, settings);
}

/** The policy by settings and the project's stored grants alone. @throws {UsageError} */
export async function policyIn(cwd: string, settings: Settings): Promise<PolicyHere> {
  const processEnv = ownEnvironment();
  const userHome = processEnv.HOME ?? "/";
  const options = { settings, cwd, processEnv, wallChoice: () => ({}) };
  const facts = await new WallFactsOf(options, userHome).now();
  return { settings, cwd, policy: sessionPolicy(facts), facts };
}
