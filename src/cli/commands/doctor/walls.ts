/** The doctor's look at the walls around commands: which mode, what stands, what does not. */
import type { Settings } from "../../../config/load.ts";
import { reasonOf } from "../../../util/reason.ts";
import { policyIn } from "../sandbox/policy_here.ts";
import { modeLine, standingHere } from "../sandbox/standing_here.ts";
import type { Finding } from "./finding.ts";

export async function checkWalls(settings: Settings): Promise<Finding[]> {
  const here = await policyIn(Deno.cwd(), settings);
  const { backend, sandbox_required: required } = settings.config.terminal;
  const detail = modeLine(here);
  if (here.policy === undefined) {
    if (backend !== "local") return [{ name: "sandbox", status: "ok", detail }];
    return [{
      name: "sandbox",
      status: "warn",
      detail,
      fix: "hermes config set terminal.sandbox workspace-write",
    }];
  }
  const mode: Finding = { name: "sandbox", status: "ok", detail };
  try {
    const { lines, problem } = await standingHere(here);
    const walls = lines.map(({ stands, text }): Finding => ({
      name: "walls",
      status: stands ? "ok" : "warn",
      detail: text,
    }));
    if (problem === undefined) return [mode, ...walls];
    return [mode, ...walls.filter((wall) => wall.detail !== problem), broken(problem, required)];
  } catch (error) {
    // A temporary directory that cannot be used has a check of its own.
    return [mode, { name: "walls", status: "note", detail: `not looked at: ${reasonOf(error)}` }];
  }
}

/** Commands run without walls, unless walls are required. */
function broken(detail: string, required: boolean): Finding {
  if (!required) return { name: "walls", status: "warn", detail };
  return {
    name: "walls",
    status: "fail",
    detail: `${detail}; terminal.sandbox_required forbids that, so no command runs`,
    fix: "Use --env docker, or let commands run: hermes config set terminal.sandbox_required false",
  };
}
