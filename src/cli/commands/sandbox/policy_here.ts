/** The policy that a session in this directory would have, by flags and settings. */
import { checkDirectory } from "../../../host/directory.ts";
import type { Settings } from "../../../config/load.ts";
import type { SandboxMode, SandboxPolicy } from "../../../protocol/sandbox.ts";
import { requireWalls } from "../../../session/wall_check.ts";
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
  /** What it was made of, for whoever needs more of the same. */
  facts: WallFacts;
}

/** @throws {UsageError} when a flag or a setting means nothing. */
export async function policyHere(input: CommandInput): Promise<PolicyHere> {
  const { flags } = input;
  const sandbox = text(flags.sandbox) as SandboxMode | undefined;
  const network = text(flags.network);
  const overrides = defined({ "terminal.sandbox": sandbox, "terminal.network": network });
  const settings = await settingsOf(input, overrides);
  requireWalls({ settings, spec: defined({ sandbox, network }) });
  const cwd = resolvePath(Deno.cwd(), text(flags.cwd) ?? ".");
  checkDirectory(cwd, "-C (--cwd)");
  const env = ownEnvironment();
  const facts: WallFacts = { settings, cwd, userHome: env.HOME ?? "/", env };
  return { settings, cwd, policy: sessionPolicy(facts), facts };
}
