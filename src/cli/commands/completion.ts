/** `hermes completion bash|zsh|fish`. */
import { renderCompletion, type Shell } from "../completion_script.ts";
import type { CommandInput } from "../command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "../commands_data.ts";
import { out } from "../io.ts";

export function main(input: CommandInput): Promise<number> {
  out(renderCompletion(input.path[1] as Shell, { commands: COMMANDS, globals: GLOBAL_FLAGS }));
  return Promise.resolve(0);
}
