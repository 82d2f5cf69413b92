/** `hermes sandbox`: the walls around commands, outside a session. */
import { UsageError } from "../../../protocol/error.ts";
import type { CommandInput } from "../../command.ts";

export async function main(input: CommandInput): Promise<number> {
  switch (input.path[1]) {
    case "run":
      return await (await import("./run.ts")).run(input);
    default:
      throw new UsageError("Say what to do", { hint: "hermes sandbox --help" });
  }
}
