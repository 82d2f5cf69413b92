/** `hermes sandbox`: the walls around commands, outside a session. */
import { UsageError } from "../../../protocol/error.ts";
import type { CommandInput, CommandMain } from "../../command.ts";

const ACTIONS: Readonly<Record<string, () => Promise<{ main: CommandMain }>>> = {
  explain: () => import("./explain.ts"),
  run: () => import("./walled_run.ts"),
};

export async function main(input: CommandInput): Promise<number> {
  const load = ACTIONS[input.path[1] ?? "explain"];
  if (load === undefined) throw new UsageError(`hermes sandbox has no "${input.path[1]}"`);
  return await (await load()).main(input);
}
